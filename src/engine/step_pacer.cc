#include "engine/step_pacer.h"

#include <algorithm>

namespace reckon::engine {
namespace {

constexpr double kFirstMixedLimit = 32;
constexpr double kFirstPrefillLimit = 256;
constexpr double kFirstIdleLimit = 8;

// Moves a limit towards what would have cost `target`: down at once, up by a quarter at most.
double adapt(double limit, double n_used, double seconds, double target, double most) {
  if (seconds > target) limit = std::min(limit, n_used) * std::max(0.25, target / seconds);
  if (seconds < target && n_used + 1 > limit) limit *= std::min(1.25, target / seconds);
  return std::clamp(limit, static_cast<double>(StepPacer::kLeastTokens), most);
}

}  // namespace

StepPacer::StepPacer(int max_step_tokens)
    : max_step_tokens_(max_step_tokens),
      mixed_limit_(std::min<double>(kFirstMixedLimit, max_step_tokens)),
      prefill_only_limit_(std::min<double>(kFirstPrefillLimit, max_step_tokens)),
      idle_limit_(std::min<double>(kFirstIdleLimit, max_step_tokens)) {}

int StepPacer::prefill_limit(bool any_decoding) const {
  return std::max(1, static_cast<int>(any_decoding ? mixed_limit_ : prefill_only_limit_));
}

void StepPacer::observe(int n_decode, int n_prefill, double seconds) {
  if (seconds <= 0) return;
  if (n_prefill == 0) {
    decode_seconds_ = decode_seconds_ == 0 ? seconds : 0.9 * decode_seconds_ + 0.1 * seconds;
  } else if (n_decode == 0) {
    prefill_only_limit_ = adapt(prefill_only_limit_, n_prefill, seconds, kPrefillStepSeconds, max_step_tokens_);
  } else if (decode_seconds_ > 0) {
    mixed_limit_ = adapt(mixed_limit_, n_prefill, seconds, kMixedStepFactor * decode_seconds_, max_step_tokens_);
  }
}

void StepPacer::observe_idle(int n_tokens, double seconds) {
  if (seconds > 0) idle_limit_ = adapt(idle_limit_, n_tokens, seconds, kIdleStepSeconds, max_step_tokens_);
}

}  // namespace reckon::engine
