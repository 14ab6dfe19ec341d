#pragma once
// How many prompt tokens a step may take, so that running answers do not stutter while a long prompt is computed, and
// so that a cancelled prompt gives way soon. Pure: it is told what steps cost. What a step computes does not depend on
// how prompts are cut, so time decides about time only. Owner: StepLoop.

namespace reckon::engine {

class StepPacer {
 public:
  // A mixed step may last twice as long as one that only decodes: the promise is 2.5 times at the 99th percentile.
  static constexpr double kMixedStepFactor = 2.0;
  // Or so long: a gap that nobody feels, which lets a prompt of a small model come through between many answers.
  static constexpr double kMixedStepSeconds = 0.05;
  static constexpr double kPrefillStepSeconds = 0.4;
  static constexpr double kIdleStepSeconds = 0.05;  // what idle work may delay others by
  static constexpr int kLeastTokens = 4;            // a prompt never stops altogether

  explicit StepPacer(int max_step_tokens);

  // n_decode: sequences that decode in this step.
  [[nodiscard]] int prefill_limit(int n_decode) const;
  [[nodiscard]] int idle_limit() const { return static_cast<int>(idle_limit_); }
  void observe(int n_decode, int n_prefill, double seconds);
  void observe_idle(int n_tokens, double seconds);

 private:
  [[nodiscard]] int mixed_limit(int n_decode) const;

  int max_step_tokens_;
  double decode_seconds_ = 0;  // moving average of steps that only decode; 0: none yet
  double token_seconds_ = 0;   // what a prompt token of a mixed step adds to those; 0: nothing seen
  int n_mixed_ = 0;            // prompt tokens of the last mixed step
  double prefill_only_limit_;
  double idle_limit_;
};

}  // namespace reckon::engine
