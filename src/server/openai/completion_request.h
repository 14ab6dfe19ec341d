#pragma once
// The body of POST /v1/completions as a typed value.

#include <string>
#include <vector>

#include "server/openai/chat_request.h"
#include "server/served_model.h"

namespace reckon::server {

struct CompletionRequest {
  std::string model;
  std::vector<std::vector<TokenId>> prompts;  // at least one, none empty
  GenerationFields generation;                // n answers to each prompt
  OutputForm output;
  int best_of = 0;    // 0: n; else so many are made and the n likeliest kept
  int logprobs = -1;  // -1: none
  bool echo = false;  // the prompt comes in front of the answer
  std::vector<std::string> warnings;
  [[nodiscard]] int n_made() const { return best_of == 0 ? generation.n : best_of; }
};

// The tokenizer, since a prompt may be text or ids.
[[nodiscard]] Reply<CompletionRequest> parse_completion_request(const text::Json& body, const ServedModel& model);

inline constexpr std::size_t kMaxMade = 128;  // prompts times answers to each

}  // namespace reckon::server
