#include "sample/penalties.h"

#include <cstddef>

#include "sample/logit_blocks.h"

namespace reckon::sample {

bool has_penalties(const SampleOptions& options) {
  return options.repetition_penalty != 1 || options.presence_penalty != 0 || options.frequency_penalty != 0;
}

void apply_penalties(std::span<float> logits, const SampleOptions& options, const TokenCounts& counts) {
  for (const TokenCounts::Entry& entry : counts.entries()) {
    float& logit = logits[static_cast<std::size_t>(entry.id)];
    if (options.repetition_penalty != 1) {
      logit = logit > 0 ? logit / options.repetition_penalty : logit * options.repetition_penalty;
    }
    if (entry.n_answer > 0) {
      logit -= static_cast<float>(entry.n_answer) * options.frequency_penalty + options.presence_penalty;
    }
  }
}

void apply_bias(std::span<float> logits, const SampleOptions& options) {
  for (const auto& [id, bias] : options.logit_bias) {
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = bias <= -100 ? LogitBlocks::kMinusInfinity : logit + bias;
  }
}

}  // namespace reckon::sample
