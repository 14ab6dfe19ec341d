#include "cli/bench_runner.h"

#include <gtest/gtest.h>

#include "cli/generation.h"

namespace reckon::cli {
namespace {

TEST(BenchRunner, TheMedianIsOfTheMiddle) {
  EXPECT_EQ(median(std::vector<double>{}), 0);
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
}

TEST(BenchRunner, ADecodeStepReadsTheWeightsOnceAndEachCacheToItsDepth) {
  BenchTest test;
  test.kind = BenchTest::Kind::kDecode;
  test.n_tokens = 1;
  EXPECT_EQ(decode_step_bytes(1000, 10, test), 1010);  // a token sees itself
  test.n_sequences = 4;
  test.depth = 99;
  EXPECT_EQ(decode_step_bytes(1000, 10, test), 1000 + 4 * 100 * 10);
}

TEST(BenchRunner, TheHeadWorksForTheLastTokenAlone) {
  formats::Tensor matrix;
  matrix.shape = {4, 8};
  arch::TensorPlan plan;
  plan.output = &matrix;
  plan.layers.resize(2);
  plan.layers[0].q = &matrix;
  plan.layers[1].down = &matrix;
  EXPECT_EQ(prompt_macs(plan, 10), 2 * 32 * 10 + 32);
}

}  // namespace
}  // namespace reckon::cli
