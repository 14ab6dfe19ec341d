#include "sample/penalties.h"

#include <algorithm>
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

void apply_mask(std::span<float> logits, std::span<const std::uint64_t> mask) {
  constexpr std::size_t kBits = 64;
  for (std::size_t at = 0; at < logits.size(); at += kBits) {
    const std::uint64_t word = mask[at / kBits];
    if (word == ~std::uint64_t{0}) continue;
    const auto block = logits.subspan(at, std::min(kBits, logits.size() - at));
    if (word == 0) {
      std::ranges::fill(block, LogitBlocks::kMinusInfinity);
      continue;
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if ((word >> i & 1U) == 0) block[i] = LogitBlocks::kMinusInfinity;
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
