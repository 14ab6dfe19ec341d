#include "sample/penalties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace reckon::sample {
namespace {

TEST(TokenCounts, CountsLikeAMap) {
  TokenCounts counts(4000);
  std::map<TokenId, int> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto id = static_cast<TokenId>(random() % 700 * 217);
    counts.add_prompt(id);
    expected[id] += 0;
    const auto other = static_cast<TokenId>(random() % 700 * 217);
    counts.add_answer(other);
    ++expected[other];
  }
  ASSERT_EQ(counts.entries().size(), expected.size());
  for (const auto& entry : counts.entries()) EXPECT_EQ(entry.n_answer, expected.at(entry.id));
}

TEST(Penalties, RepetitionTouchesEachTokenOfPromptAndAnswerOnce) {
  TokenCounts counts(10);
  counts.add_prompt(0);
  counts.add_prompt(1);
  counts.add_answer(1);
  counts.add_answer(2);
  counts.add_answer(2);
  std::vector<float> logits{3, -2, 4, 5};
  apply_penalties(logits, {.repetition_penalty = 1.25F}, counts);
  EXPECT_EQ(logits, (std::vector<float>{3 / 1.25F, -2 * 1.25F, 4 / 1.25F, 5}));
}

TEST(Penalties, PresenceAndFrequencyLookAtTheAnswerAlone) {
  TokenCounts counts(10);
  counts.add_prompt(0);
  counts.add_answer(1);
  for (int i = 0; i < 3; ++i) counts.add_answer(2);
  std::vector<float> logits{1, 1, 1, 1};
  apply_penalties(logits, {.presence_penalty = 0.5F, .frequency_penalty = 0.25F}, counts);
  EXPECT_EQ(logits, (std::vector<float>{1, 0.25F, -0.25F, 1}));
}

TEST(Penalties, ANegativePresencePenaltyInvitesRepetition) {
  TokenCounts counts(10);
  counts.add_answer(0);
  std::vector<float> logits{1, 1};
  apply_penalties(logits, {.presence_penalty = -1}, counts);
  EXPECT_EQ(logits[0], 2);
}

TEST(Penalties, AMaskLeavesTheTokensWhoseBitsAreSet) {
  for (const std::size_t n_vocab : {1U, 64U, 65U, 200U, 256U}) {
    std::mt19937_64 random(n_vocab);
    std::vector<std::uint64_t> mask(n_vocab / 64 + 2);
    for (std::uint64_t& word : mask) word = random();
    mask[0] = n_vocab > 64 ? 0 : mask[0];
    if (n_vocab > 128) mask[1] = ~std::uint64_t{0};
    std::vector<float> logits(n_vocab, 2.5F);
    apply_mask(logits, mask);
    for (std::size_t i = 0; i < n_vocab; ++i) {
      const bool is_set = (mask[i / 64] >> (i % 64) & 1U) != 0;
      ASSERT_EQ(logits[i], is_set ? 2.5F : -INFINITY) << n_vocab << ' ' << i;
    }
  }
}

TEST(Penalties, ABiasOfMinusHundredForbids) {
  SampleOptions options;
  options.logit_bias = {{0, -100.0F}, {1, -99.0F}, {2, 1.5F}};
  std::vector<float> logits{1000, 1000, 1000};
  apply_bias(logits, options);
  EXPECT_TRUE(std::isinf(logits[0]) && logits[0] < 0);
  EXPECT_EQ(logits[1], 901);
  EXPECT_EQ(logits[2], 1001.5F);
}

}  // namespace
}  // namespace reckon::sample
