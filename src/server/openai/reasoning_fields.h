#pragma once
// What a client says about thinking. There is no one standard: OpenAI's reasoning_effort, DeepSeek's and Anthropic's
// thinking {type, budget_tokens}, Qwen's enable_thinking and thinking_budget, OpenRouter's reasoning {effort,
// max_tokens, exclude}, llama.cpp's reasoning_format are all read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/chat.h"
#include "server/field_reader.h"
#include "server/text_splitter.h"

namespace reckon::server {

struct ReasoningFields {
  Thinking thinking = Thinking::kAuto;
  std::optional<int> budget;  // tokens of thought
  int answer_reserve = 0;     // tokens of max_tokens that the thought may not use
  ThoughtFormat format = ThoughtFormat::kSplit;
};

// none, minimal, low, medium, high, xhigh; false: none of these.
[[nodiscard]] bool apply_effort(std::string_view effort, ReasoningFields& out);

void read_reasoning_fields(FieldReader& in, ReasoningFields& out);

// Tokens of thought for reasoning_effort; low enough that a person in front of a CPU waits seconds, not minutes.
inline constexpr int kMinimalBudget = 128;
inline constexpr int kLowBudget = 512;
inline constexpr int kMediumBudget = 2048;

}  // namespace reckon::server
