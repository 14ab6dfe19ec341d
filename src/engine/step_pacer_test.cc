#include "engine/step_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace reckon::engine {
namespace {

// A machine on which a step costs what reading the weights costs, or what its tokens cost, whichever is more.
struct Machine {
  double read_seconds = 0.025;
  double token_seconds = 0.002;
  [[nodiscard]] double step(int n_tokens) const { return std::max(read_seconds, n_tokens * token_seconds); }
};

TEST(StepPacer, RunningAnswersWaitAtMostTwoAndAHalfStepsForAPrompt) {
  for (const Machine machine : {Machine{}, Machine{0.1, 0.004}, Machine{0.01, 0.003}, Machine{0.02, 0.0001}}) {
    StepPacer pacer(512);
    for (int i = 0; i < 50; ++i) pacer.observe(1, 0, machine.step(1));
    double longest = 0;
    int n_prompt = 0;
    int n_steps = 0;
    for (; n_prompt < 4096; ++n_steps) {
      const int n = pacer.prefill_limit(1);
      const double seconds = machine.step(1 + n);
      pacer.observe(1, n, seconds);
      n_prompt += n;
      if (n_steps >= 3) longest = std::max(longest, seconds);  // the first ones find out
    }
    EXPECT_LE(longest, std::max(2.5 * machine.step(1), 1.2 * StepPacer::kMixedStepSeconds))
        << machine.read_seconds << ' ' << machine.token_seconds;
    EXPECT_LT(n_steps, 4096 / StepPacer::kLeastTokens + 1);
  }
}

TEST(StepPacer, APromptAloneTakesLargeStepsThatStillEndSoon) {
  const Machine machine;
  StepPacer pacer(512);
  int n = 0;
  for (int i = 0; i < 20; ++i) {
    n = pacer.prefill_limit(0);
    pacer.observe(0, n, machine.step(n));
  }
  EXPECT_GE(n, 128);
  EXPECT_LE(machine.step(n), 1.3 * StepPacer::kPrefillStepSeconds);
  StepPacer fast(512);
  for (int i = 0; i < 20; ++i) fast.observe(0, fast.prefill_limit(0), 0.01);
  EXPECT_EQ(fast.prefill_limit(0), 512);
}

TEST(StepPacer, ALongStepNowAndThenDoesNotStarveAPrompt) {
  const Machine machine;
  StepPacer pacer(512);
  for (int i = 0; i < 50; ++i) pacer.observe(1, 0, machine.step(1));
  int n_prompt = 0;
  constexpr int kSteps = 200;
  for (int i = 0; i < kSteps; ++i) {
    const int n = pacer.prefill_limit(1);
    pacer.observe(1, n, machine.step(1 + n) * (i % 50 == 49 ? 5 : 1));
    n_prompt += n;
  }
  EXPECT_GT(n_prompt, kSteps * 12) << "a step of 23 would do, one of 15 is the whole group below it";
}

TEST(StepPacer, FillsTheGroupsThatKernelsComputeTogether) {
  const Machine machine;
  for (const int n_decode : {1, 3, 7, 8, 12}) {
    StepPacer pacer(512);
    for (int i = 0; i < 10; ++i) pacer.observe(n_decode, 0, machine.step(n_decode));
    for (int i = 0; i < 20; ++i) {
      const int n = pacer.prefill_limit(n_decode);
      EXPECT_EQ((n_decode + n) % 8, 0);
      EXPECT_GE(n, StepPacer::kLeastTokens);
      pacer.observe(n_decode, n, machine.step(n_decode + n));
    }
  }
}

TEST(StepPacer, GapsThatNobodyFeelsMayBeLongForASmallModel) {
  const Machine machine{0.003, 0.0005};
  StepPacer pacer(512);
  for (int i = 0; i < 10; ++i) pacer.observe(1, 0, machine.step(1));
  for (int i = 0; i < 20; ++i) {
    const int n = pacer.prefill_limit(1);
    pacer.observe(1, n, machine.step(1 + n));
  }
  EXPECT_GE(pacer.prefill_limit(1), 60);
  EXPECT_LE(machine.step(1 + pacer.prefill_limit(1)), 1.2 * StepPacer::kMixedStepSeconds);
}

TEST(StepPacer, TheEndOfAPromptTeachesNothing) {
  const Machine machine;
  StepPacer pacer(512);
  pacer.observe(1, 0, machine.step(1));
  for (int i = 0; i < 10; ++i) pacer.observe(1, 15, machine.step(16));
  const int n = pacer.prefill_limit(1);
  for (int i = 0; i < 10; ++i) pacer.observe(1, 2, 1.0);
  EXPECT_EQ(pacer.prefill_limit(1), n);
}

TEST(StepPacer, NeverStopsAPromptAltogether) {
  StepPacer pacer(512);
  pacer.observe(1, 0, 1e-6);
  for (int i = 0; i < 100; ++i) pacer.observe(1, pacer.prefill_limit(1), 10);
  EXPECT_GE(pacer.prefill_limit(1), StepPacer::kLeastTokens);
  EXPECT_LE(pacer.prefill_limit(1), 8);
  StepPacer tiny(4);
  for (int i = 0; i < 10; ++i) tiny.observe(1, tiny.prefill_limit(1), 10);
  EXPECT_LE(tiny.prefill_limit(1), 4);
  EXPECT_GE(tiny.prefill_limit(1), 1);
}

}  // namespace
}  // namespace reckon::engine
