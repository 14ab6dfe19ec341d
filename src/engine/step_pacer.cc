#include "engine/step_pacer.h"

#include <algorithm>

#include "model/runner.h"

namespace reckon::engine {
namespace {

constexpr double kFirstPrefillLimit = 256;
constexpr double kFirstIdleLimit = 8;

// Rows are computed by groups: part of a group costs what the whole one does. By groups, the cost of a mixed step grows
// in a line with its prompt tokens, once there are enough that reading the weights no longer hides them.
constexpr int kGroup = model::kRowGroup;
constexpr double kGrowth = 1.5;  // from step to step, or by one group
constexpr double kTrust = 0.2;   // in a step that took less than others; one that took more is believed at once

// Moves a limit towards what would have cost `target`: down at once, up by a quarter at most.
double adapt(double limit, double n_used, double seconds, double target, double most) {
  if (seconds > target) limit = std::min(limit, n_used) * std::max(0.25, target / seconds);
  if (seconds < target && n_used + 1 > limit) limit *= std::min(1.25, target / seconds);
  return std::clamp(limit, static_cast<double>(StepPacer::kLeastTokens), most);
}

}  // namespace

StepPacer::StepPacer(int max_step_tokens)
    : max_step_tokens_(max_step_tokens),
      prefill_only_limit_(std::min<double>(kFirstPrefillLimit, max_step_tokens)),
      idle_limit_(std::min<double>(kFirstIdleLimit, max_step_tokens)) {}

int StepPacer::prefill_limit(int n_decode) const {
  return n_decode > 0 ? mixed_limit(n_decode) : std::max(1, static_cast<int>(prefill_only_limit_));
}

int StepPacer::mixed_limit(int n_decode) const {
  double n_most = n_decode + std::max(kGrowth * n_mixed_, 1.0 * n_mixed_ + kGroup);
  if (token_seconds_ > 0) {
    const double most_seconds = std::max(kMixedStepFactor * decode_seconds_, kMixedStepSeconds);
    n_most = std::min(n_most, n_decode + (most_seconds - decode_seconds_) / token_seconds_);
  }
  n_most = std::min(n_most, 1.0 * max_step_tokens_);
  const int n_groups = std::max(static_cast<int>(n_most / kGroup), (n_decode + kLeastTokens + kGroup - 1) / kGroup);
  return std::clamp(n_groups * kGroup - n_decode, 1, max_step_tokens_);
}

void StepPacer::observe(int n_decode, int n_prefill, double seconds) {
  if (seconds <= 0) return;
  if (n_prefill == 0) {
    decode_seconds_ = decode_seconds_ == 0 ? seconds : 0.9 * decode_seconds_ + 0.1 * seconds;
  } else if (n_decode == 0) {
    prefill_only_limit_ = adapt(prefill_only_limit_, n_prefill, seconds, kPrefillStepSeconds, max_step_tokens_);
  } else if (decode_seconds_ > 0 && (n_decode + n_prefill) % kGroup == 0) {  // the end of a prompt tells little
    const double added = std::max(0.0, seconds - decode_seconds_) / n_prefill;
    token_seconds_ = std::max(added, (1 - kTrust) * token_seconds_ + kTrust * added);
    n_mixed_ = n_prefill;
  }
}

void StepPacer::observe_idle(int n_tokens, double seconds) {
  if (seconds > 0) idle_limit_ = adapt(idle_limit_, n_tokens, seconds, kIdleStepSeconds, max_step_tokens_);
}

}  // namespace reckon::engine
