#pragma once
// Changes of logits that do not depend on the other logits.

#include <cstdint>
#include <span>

#include "reckon/sampling.h"
#include "sample/token_counts.h"

namespace reckon::sample {

// Whether a sequence has to count its tokens.
[[nodiscard]] bool has_penalties(const SampleOptions& options);

// Repetition (Hugging Face's RepetitionPenaltyLogitsProcessor: each distinct token of prompt and answer once, x / r
// for x > 0 and x * r otherwise), then presence and frequency (OpenAI: x - n * frequency - [n > 0] * presence, with n
// the count in the answer).
void apply_penalties(std::span<float> logits, const SampleOptions& options, const TokenCounts& counts);

// Forbids the tokens whose bit (i % 64 of word i / 64) is not set. The mask covers all logits.
void apply_mask(std::span<float> logits, std::span<const std::uint64_t> mask);

// Adds each bias; -100 or less makes it minus infinity.
void apply_bias(std::span<float> logits, const SampleOptions& options);

}  // namespace reckon::sample
