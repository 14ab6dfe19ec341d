#include "sample/loop_guard.h"

#include <gtest/gtest.h>

#include <random>

namespace reckon::sample {
namespace {

// Pushes `block` until the guard speaks; how many tokens that took, -1 if `limit` was not enough.
int tokens_until_loop(LoopGuard& guard, const std::vector<TokenId>& block, int limit) {
  for (int i = 0; i < limit; ++i) {
    const int period = guard.push(block[static_cast<std::size_t>(i) % block.size()]);
    if (period > 0) {
      EXPECT_EQ(period, static_cast<int>(block.size()));
      return i + 1;
    }
  }
  return -1;
}

std::vector<TokenId> distinct_block(int period) {
  std::vector<TokenId> block;
  for (int i = 0; i < period; ++i) block.push_back(1000 + i);
  return block;
}

TEST(LoopGuard, FindsEachPeriodWithin200TokensAfterTheFourthRepeat) {
  for (const int period : {1, 2, 3, 7, 12, 32, 63, 64, 96, 100, 255, 511, 512}) {
    LoopGuard guard;
    for (TokenId i = 0; i < 700; ++i) ASSERT_EQ(guard.push(5000 + i), 0);
    const int n = tokens_until_loop(guard, distinct_block(period), 4 * period + 200);
    EXPECT_EQ(n, LoopGuard::loop_length(period)) << "period " << period;
    EXPECT_GE(n, 4 * period);
  }
}

TEST(LoopGuard, DoesNotSeeLoopsOfMoreThan512Tokens) {
  LoopGuard guard;
  EXPECT_EQ(tokens_until_loop(guard, distinct_block(513), 513 * 8), -1);
}

TEST(LoopGuard, LetsRulersTablesAndMatricesOfZerosPass) {
  LoopGuard guard;
  const auto expect_quiet = [&guard](const std::vector<TokenId>& block, int n_repeats) {
    for (int i = 0; i < n_repeats; ++i) {
      for (const TokenId id : block) ASSERT_EQ(guard.push(id), 0);
    }
    ASSERT_EQ(guard.push(99999), 0);
  };
  expect_quiet({7}, 120);          // "=====...", or the zeros of 10^120
  expect_quiet({11, 12, 13}, 40);  // |---|---|---|
  expect_quiet({0, 44}, 90);       // 0, 0, 0, ...
  std::vector<TokenId> row{91};    // ten rows of a 10 x 10 matrix of zeros
  for (int i = 0; i < 10; ++i) row.insert(row.end(), {0, 44});
  row.push_back(93);
  expect_quiet(row, 10);
  expect_quiet(distinct_block(12), 15);  // "I must not talk in class." fifteen times
  expect_quiet(distinct_block(90), 3);   // the same function for three types
}

TEST(LoopGuard, ACountThatGoesOnIsNoLoop) {
  LoopGuard guard;
  for (TokenId i = 0; i < 5000; ++i) {
    for (const TokenId id : {100, 101, 200 + i, 102, 103}) ASSERT_EQ(guard.push(id), 0);
  }
}

TEST(LoopGuard, RandomTextOfFewTokensIsNoLoop) {
  LoopGuard guard;
  std::mt19937 random(1);
  for (int i = 0; i < 50000; ++i) ASSERT_EQ(guard.push(static_cast<TokenId>(random() % 2)), 0);
}

TEST(LoopGuard, AResetForgetsTheTail) {
  LoopGuard guard;
  const auto block = distinct_block(5);
  const int n = LoopGuard::loop_length(5);
  for (int i = 0; i + 1 < n; ++i) ASSERT_EQ(guard.push(block[static_cast<std::size_t>(i % 5)]), 0);
  guard.reset();
  EXPECT_EQ(tokens_until_loop(guard, block, n), n);
}

}  // namespace
}  // namespace reckon::sample
