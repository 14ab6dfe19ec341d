#pragma once
// How the next token is chosen. The order is that of Hugging Face: repetition penalty, presence and frequency penalty,
// logit bias, temperature, top-k, top-p, min-p; each works on what the ones before it left.

#include <cstdint>
#include <utility>
#include <vector>

#include "reckon/token.h"

namespace reckon {

// Defaults are greedy without penalties; ModelInfo::sample_defaults has what the model's authors advise.
struct SampleOptions {
  float temperature = 0;         // 0: greedy, the lowest id wins a tie
  int top_k = 0;                 // 0: off
  float top_p = 1;               // 0..1; at least one token stays
  float min_p = 0;               // 0..1, of the likeliest token's probability
  float repetition_penalty = 1;  // over prompt and answer, as in Hugging Face
  float presence_penalty = 0;    // over the answer, as in the OpenAI API
  float frequency_penalty = 0;
  // The same seed gives the same answer. What is drawn depends on the seed and on the token's position alone, so an
  // answer that was cut off goes on with the same words.
  std::uint64_t seed = 0;
  std::vector<std::pair<TokenId, float>> logit_bias = {};  // -100 or less forbids the token
};

struct TokenLogprob {
  TokenId id = 0;
  float logprob = 0;
};

}  // namespace reckon
