#include "tokenizer/bpe.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace reckon::tokenizer {
namespace {

ByteTokens identity() {
  ByteTokens tokens;
  for (std::size_t b = 0; b < tokens.size(); ++b) tokens[b] = static_cast<TokenId>(b);
  return tokens;
}

struct Pair {
  TokenId left, right, joined;
};

// The slow twin: look through the whole word for the best pair, again and again.
std::vector<TokenId> slow_encode(const std::vector<Pair>& merges, std::string_view word) {
  std::vector<TokenId> ids;
  for (const char c : word) ids.push_back(static_cast<std::uint8_t>(c));
  for (;;) {
    std::size_t best_rank = merges.size(), best = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      for (std::size_t rank = 0; rank < best_rank; ++rank) {
        if (merges[rank].left == ids[i] && merges[rank].right == ids[i + 1]) best_rank = rank, best = i;
      }
    }
    if (best_rank == merges.size()) return ids;
    ids[best] = merges[best_rank].joined;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, equals_the_slow_twin_on_random_merges_and_words) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Pair> merges;
    std::map<std::pair<TokenId, TokenId>, bool> seen;
    const auto any = [&] {
      return static_cast<TokenId>(random() % 3 == 0 && !merges.empty() ? 256 + random() % merges.size()
                                                                       : 'a' + random() % 3);
    };
    for (int i = 0; i < 30; ++i) {
      const TokenId left = any(), right = any();
      if (!seen.emplace(std::pair(left, right), true).second) continue;
      merges.push_back({left, right, static_cast<TokenId>(256 + merges.size())});
    }
    MergeTable table(merges.size());
    for (std::size_t i = 0; i < merges.size(); ++i) {
      table.insert(merges[i].left, merges[i].right, {static_cast<std::uint32_t>(i), merges[i].joined});
    }
    const ByteTokens bytes = identity();
    WordEncoder encoder(table, bytes);
    for (const std::size_t length : {0u, 1u, 2u, 7u, 31u, 32u, 33u, 34u, 90u}) {  // around the border of the two ways
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += static_cast<char>('a' + random() % 3);
      std::vector<TokenId> ids;
      encoder.encode(word, ids);
      ASSERT_EQ(ids, slow_encode(merges, word)) << word;
    }
  }
}

MergeTable doubling_merges() {  // a a, aa aa, ...
  MergeTable table(8);
  TokenId last = 'a';
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const auto joined = static_cast<TokenId>(256 + rank);
    table.insert(last, last, {rank, joined});
    last = joined;
  }
  return table;
}

TEST(Bpe, steps_grow_linearly_with_a_long_unbroken_word) {
  const MergeTable table = doubling_merges();
  const ByteTokens bytes = identity();
  for (const std::size_t n : {1'000u, 10'000u, 200'000u}) {
    WordEncoder encoder(table, bytes);
    std::vector<TokenId> ids;
    encoder.encode(std::string(n, 'a'), ids);
    EXPECT_LE(encoder.n_steps(), 8 * n);
    EXPECT_GE(ids.size(), n / 256);
    EXPECT_LE(ids.size(), n / 256 + 8);
  }
}

TEST(Bpe, the_first_of_two_equal_pairs_stays) {
  MergeTable table(2);
  table.insert(1, 2, {5, 300});
  table.insert(1, 2, {6, 301});
  EXPECT_EQ(table.find(1, 2).joined, 300);
  EXPECT_EQ(table.find(1, 2).rank, 5u);
  EXPECT_EQ(table.find(2, 1).rank, kNoRank);
}

TEST(Bpe, a_byte_without_a_token_is_dropped_and_its_neighbours_meet) {
  const MergeTable table = doubling_merges();
  ByteTokens bytes = identity();
  bytes['x'] = -1;
  WordEncoder encoder(table, bytes);
  std::vector<TokenId> ids;
  encoder.encode("axa", ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{256}));
}

}  // namespace
}  // namespace reckon::tokenizer
