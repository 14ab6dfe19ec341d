#include "sample/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "sample/random.h"

namespace reckon::sample {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<TokenId> pick(std::vector<float> logits, const SampleOptions& options, std::uint64_t position = 0,
                            double window = 20) {
  Sampler sampler(logits.size(), window);
  return sampler.sample({.logits = logits, .options = &options, .position = position});
}

std::vector<float> random_logits(std::size_t n, unsigned seed, float spread) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> logits(n);
  for (float& x : logits) x = normal(random);
  return logits;
}

// The obvious way: sort everything, cut, renormalise.
std::vector<double> reference_distribution(const std::vector<float>& logits, const SampleOptions& options) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  std::vector<double> p(logits.size(), 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = std::exp((static_cast<double>(logits[i]) - logits[order[0]]) / options.temperature);
  }
  const auto normalise = [&p] {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
  };
  if (options.top_k > 0) {
    for (std::size_t i = static_cast<std::size_t>(options.top_k); i < order.size(); ++i) p[order[i]] = 0;
  }
  normalise();
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double own = p[order[i]];
    if (i > 0 && before >= options.top_p) p[order[i]] = 0;
    before += own;
  }
  normalise();
  const double best = *std::ranges::max_element(p);
  for (double& x : p) x = x < options.min_p * best ? 0 : x;
  normalise();
  return p;
}

// Pearson's statistic over tokens with an expectation of at least five; the rest is one class. Compared with the
// 99.99 % point of chi-squared, by Wilson and Hilferty's approximation. A token that must not come fails at once.
void expect_drawn_like(const std::vector<float>& logits, SampleOptions options, double window = 20) {
  constexpr int kDraws = 4000;
  const auto expected = reference_distribution(logits, options);
  std::vector<int> drawn(logits.size(), 0);
  Sampler sampler(logits.size(), window);
  std::vector<float> work;
  for (int i = 0; i < kDraws; ++i) {
    work = logits;
    const auto id = sampler.sample({.logits = work, .options = &options, .position = static_cast<std::uint64_t>(i)});
    ASSERT_TRUE(id);
    ASSERT_GT(expected[static_cast<std::size_t>(*id)], 0) << "token " << *id << " was cut";
    ++drawn[static_cast<std::size_t>(*id)];
  }
  double statistic = 0;
  double rest_expected = 0;
  double rest_drawn = 0;
  int n_classes = 0;
  const auto add = [&](double e, double d) {
    statistic += (d - e) * (d - e) / e;
    ++n_classes;
  };
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double e = expected[i] * kDraws;
    if (e >= 5) {
      add(e, drawn[i]);
    } else {
      rest_expected += e;
      rest_drawn += drawn[i];
    }
  }
  if (rest_expected >= 5) add(rest_expected, rest_drawn);
  if (n_classes < 2) return;
  const double k = n_classes - 1;
  const double limit = k * std::pow(1 - 2 / (9 * k) + 3.72 * std::sqrt(2 / (9 * k)), 3);
  EXPECT_LT(statistic, limit) << n_classes << " classes";
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdOfEquals) {
  const SampleOptions greedy;
  EXPECT_EQ(pick({1, 3, 2}, greedy), 1);
  EXPECT_EQ(pick({1, 3, 3, 3}, greedy), 1);
  std::vector<float> many(1000, -5);
  many[777] = many[900] = 4;
  EXPECT_EQ(pick(many, greedy), 777);
  many[999] = 5;
  EXPECT_EQ(pick(many, greedy), 999) << "the last block is a short one";
}

TEST(Sampler, NeverChoosesNanAndSaysWhenNothingIsLeft) {
  for (const float temperature : {0.0F, 0.8F}) {
    SampleOptions options{.temperature = temperature, .top_k = 3, .top_p = 0.9F};
    std::vector<float> logits(200, kNan);
    EXPECT_EQ(pick(logits, options), std::nullopt);
    logits[150] = -3;
    EXPECT_EQ(pick(logits, options), 150);
    logits[10] = -kInfinity;
    EXPECT_EQ(pick(logits, options), 150);
    logits[20] = kInfinity;
    EXPECT_EQ(pick(logits, options), 20);
    EXPECT_EQ(pick(std::vector<float>(5, -kInfinity), options), std::nullopt);
  }
}

TEST(Sampler, DrawsLikeTheSoftmaxAtEachTemperature) {
  const auto logits = random_logits(200, 1, 2);
  for (const float temperature : {0.3F, 1.0F, 2.5F}) expect_drawn_like(logits, {.temperature = temperature, .seed = 3});
}

TEST(Sampler, DrawsLikeASortForTopK) {
  const auto logits = random_logits(200, 2, 1.5F);
  for (const int top_k : {2, 20, 199, 200, 5000}) {
    expect_drawn_like(logits, {.temperature = 0.9F, .top_k = top_k > 200 ? 0 : top_k, .seed = 4});
  }
}

TEST(Sampler, DrawsLikeASortForTopP) {
  const auto logits = random_logits(400, 3, 2);
  for (const float top_p : {0.0F, 0.1F, 0.5F, 0.95F, 0.999F}) {
    expect_drawn_like(logits, {.temperature = 0.7F, .top_p = top_p, .seed = 5});
  }
}

TEST(Sampler, DrawsLikeASortForMinP) {
  const auto logits = random_logits(200, 4, 2);
  for (const float min_p : {0.02F, 0.5F, 1.0F}) expect_drawn_like(logits, {.temperature = 1.2F, .min_p = min_p});
}

TEST(Sampler, CombinesAllCutsInTheStatedOrder) {
  const auto logits = random_logits(400, 5, 2);
  expect_drawn_like(logits, {.temperature = 1.1F, .top_k = 40, .top_p = 0.8F, .min_p = 0.05F, .seed = 6});
  expect_drawn_like(logits, {.temperature = 2.0F, .top_k = 300, .top_p = 0.5F, .seed = 7});
}

// With a window of one the likely tokens alone are not enough, so every exact way round is taken.
TEST(Sampler, StaysExactWhereTheTailMatters) {
  const auto logits = random_logits(200, 6, 1);
  expect_drawn_like(logits, {.temperature = 1}, 1);
  expect_drawn_like(logits, {.temperature = 1, .top_p = 0.9F}, 1);
  expect_drawn_like(logits, {.temperature = 1, .top_k = 100}, 1);
  expect_drawn_like(logits, {.temperature = 1, .min_p = 0.01F}, 1);
}

TEST(Sampler, EqualLogitsAtACutFallToTheLowerIds) {
  const std::vector<float> logits(100, 2.0F);
  expect_drawn_like(logits, {.temperature = 1, .top_k = 7});
  expect_drawn_like(logits, {.temperature = 1, .top_p = 0.095F});
}

TEST(Sampler, ATinyTemperatureIsGreedy) {
  const auto logits = random_logits(1000, 7, 3);
  const auto best = pick(logits, {});
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(pick(logits, {.temperature = 1e-6F}, i), best);
    EXPECT_EQ(pick(logits, {.temperature = 1e-30F, .top_p = 0.9F}, i), best);
  }
}

TEST(Sampler, WhatIsDrawnDependsOnSeedAndPositionAlone) {
  const auto logits = random_logits(5000, 8, 1);
  SampleOptions options{.temperature = 1, .top_p = 0.95F, .seed = 11};
  Sampler sampler(logits.size());
  std::vector<std::optional<TokenId>> forward;
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto work = logits;
    forward.push_back(sampler.sample({.logits = work, .options = &options, .position = i}));
  }
  int n_other_seed = 0;
  for (std::uint64_t i = 40; i-- > 0;) {
    EXPECT_EQ(pick(logits, options, i), forward[i]);
    auto other = options;
    other.seed = 12;
    n_other_seed += pick(logits, other, i) == forward[i] ? 1 : 0;
  }
  EXPECT_LT(n_other_seed, 5);
}

TEST(Sampler, ForbiddenTokensNeverComeWhateverTheirBias) {
  SampleOptions options;
  options.logit_bias = {{1, 100.0F}, {2, -100.0F}};
  EXPECT_EQ(pick({5, 1, 90}, options), 1);
  std::vector<float> logits{5, 1, 90};
  const std::vector<TokenId> forbidden{1};
  Sampler sampler(3);
  EXPECT_EQ(sampler.sample({.logits = logits, .options = &options, .forbidden = forbidden}), 0);
}

TEST(Sampler, AMaskComesBeforeAllThatChooses) {
  std::vector<std::uint64_t> mask{(1U << 0) | (1U << 3)};
  SampleOptions options;
  options.logit_bias = {{2, 1000.0F}};
  Sampler sampler(5);
  std::vector<float> logits{1, 5, 5, 2, 9};
  EXPECT_EQ(sampler.sample({.logits = logits, .mask = mask, .options = &options}), 3);
  options.temperature = 1;
  options.top_k = 2;
  bool seen[5] = {};
  for (std::uint64_t i = 0; i < 200; ++i) {
    logits = {1, 5, 5, 2, 9};
    seen[*sampler.sample({.logits = logits, .mask = mask, .options = &options, .position = i})] = true;
  }
  EXPECT_TRUE(seen[0] && seen[3] && !seen[1] && !seen[2] && !seen[4]);
  mask = {0};
  logits = {1, 5, 5, 2, 9};
  EXPECT_FALSE(sampler.sample({.logits = logits, .mask = mask, .options = &options}));
}

TEST(Random, IsTheStatedFunction) {
  EXPECT_EQ(mix_bits(0), 0U);
  EXPECT_EQ(mix_bits(0x9e3779b97f4a7c15U), 0xe220a8397b1dcdafU);  // SplitMix64's first output from seed 0
  EXPECT_DOUBLE_EQ(uniform(0, 0),
                   static_cast<double>(mix_bits(mix_bits(0xe220a8397b1dcdafU + 0x9e3779b97f4a7c15U)) >> 11) * 0x1p-53);
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double u = uniform(i % 100, i / 100);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

}  // namespace
}  // namespace reckon::sample
