#pragma once
// Parts that bodies and chunks of answers share, as JSON text.

#include <span>
#include <string>
#include <string_view>

#include "reckon/tokenizer.h"
#include "server/api_error.h"
#include "server/running_answer.h"
#include "text/json_writer.h"

namespace reckon::server {

// stop, length or tool_calls: what clients know. Where that is not the whole truth finish_detail() has the rest:
// repetition, cancelled, timeout; else empty.
[[nodiscard]] std::string_view finish_reason(const ChoiceResult& result);
[[nodiscard]] std::string_view finish_detail(const ChoiceResult& result);
// budget, loop, asked: why a thought ended that the model did not end itself; else empty.
[[nodiscard]] std::string_view thought_end_name(ThoughtEnd end);
// finish_reason, and finish_detail and thought_end where they say something.
void add_finish(text::JsonObject& choice, const ChoiceResult& result);

[[nodiscard]] std::string usage_json(std::span<const ChoiceResult> choices);
[[nodiscard]] std::string timings_json(std::span<const ChoiceResult> choices);
[[nodiscard]] std::string tool_calls_json(std::span<const ToolCall> calls, std::size_t first_index);
[[nodiscard]] std::string string_list(std::span<const std::string> items);

// Of a chat: {"content": [...], "reasoning_content": [...]}, the latter only where there are such tokens.
[[nodiscard]] std::string chat_logprobs_json(std::span<const TokenText> tokens, const Tokenizer& tokenizer);

// A limit of time was over before the first token: an error to the client, not a short answer.
[[nodiscard]] bool is_empty_timeout(const ChoiceResult& result);
// The first choice that failed, as what the client is told.
[[nodiscard]] std::optional<ApiError> failure_of(std::span<const ChoiceResult> choices);

}  // namespace reckon::server
