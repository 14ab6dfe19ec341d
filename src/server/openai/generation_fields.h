#pragma once
// The fields that decide how an answer is made, the same for chat and for plain completions: OpenAI's names, and those
// of Hugging Face, vLLM and llama.cpp for what OpenAI has no name for.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reckon/engine.h"
#include "server/field_reader.h"

namespace reckon::server {

// Empty: as the model's authors advise.
struct GenerationFields {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<double> min_p;
  std::optional<int> top_k;
  std::optional<double> repetition_penalty;
  std::optional<double> presence_penalty;
  std::optional<double> frequency_penalty;
  std::optional<std::int64_t> seed;  // empty: a fresh one for each answer
  std::optional<int> max_tokens;     // empty: what the context leaves
  std::optional<int> min_tokens;
  std::vector<std::string> stop;
  std::vector<TokenId> stop_tokens;
  std::vector<std::pair<std::string, double>> logit_bias;  // an id in digits, or the text of one token
  bool ignore_eos = false;
  bool loop_guard = true;
  int n = 1;
  bool stream = false;
  bool include_usage = false;
  std::string user;

  // The same request gives the same text.
  [[nodiscard]] bool is_deterministic() const { return seed.has_value() || (temperature && *temperature == 0); }
};

// Appends to `warnings` what was taken but has no effect.
void read_generation_fields(FieldReader& in, GenerationFields& out, std::vector<std::string>& warnings);

// Everything but the prompt and the thought. Refuses a bias on what is no token.
[[nodiscard]] Reply<Request> make_request(const GenerationFields& fields, const Engine& engine);

inline constexpr int kMaxChoices = 8;
inline constexpr std::size_t kMaxStops = 16;
inline constexpr std::size_t kMaxStopBytes = 256;
inline constexpr std::size_t kMaxStopTokens = 64;
inline constexpr std::size_t kMaxBias = 1024;

}  // namespace reckon::server
