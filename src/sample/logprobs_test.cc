#include "sample/logprobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sample/exponential.h"

namespace reckon::sample {
namespace {

TEST(Exponential, AgreesWithTheLibrary) {
  EXPECT_EQ(exp_negative(0), 1);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> range(-700, 0);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 == 0 ? range(random) : range(random) / 100;
    worst = std::max(worst, std::abs(exp_negative(x) / std::exp(x) - 1));
  }
  EXPECT_LT(worst, 1e-15);
  EXPECT_LT(exp_negative(-1e30), 1e-300);
  EXPECT_LT(exp_negative(-std::numeric_limits<double>::infinity()), 1e-300);
  EXPECT_LT(exp_negative(std::numeric_limits<double>::quiet_NaN()), 1e-300);
}

TEST(Logprobs, AgreeWithASortedSoftmax) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal(5, 4);
  std::vector<float> logits(10007);
  for (float& x : logits) x = normal(random);
  long double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<long double>(x));
  std::vector<TokenId> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](TokenId a, TokenId b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });

  Logprobs logprobs(logits.size());
  logprobs.scan(logits);
  std::vector<TokenLogprob> top;
  logprobs.top(20, top);
  ASSERT_EQ(top.size(), 20U);
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ(top[i].id, order[i]);
    const auto expected =
        static_cast<float>(static_cast<long double>(logits[static_cast<std::size_t>(order[i])]) - std::log(sum));
    EXPECT_NEAR(top[i].logprob, expected, 1e-6);
    EXPECT_EQ(logprobs.of(top[i].id), top[i].logprob);
  }
}

TEST(Logprobs, GiveTheLowerIdFirstWhereEqual) {
  Logprobs logprobs(100);
  const std::vector<float> logits(100, 1.0F);
  logprobs.scan(logits);
  std::vector<TokenLogprob> top;
  logprobs.top(3, top);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].id, 0);
  EXPECT_EQ(top[2].id, 2);
  EXPECT_NEAR(top[0].logprob, -std::log(100.0), 1e-6);
}

}  // namespace
}  // namespace reckon::sample
