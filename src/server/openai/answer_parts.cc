#include "server/openai/answer_parts.h"

#include <optional>

#include "engine/finish_name.h"

namespace reckon::server {
namespace {

double per_second(int count, double ms) { return ms > 0 && count > 0 ? count / ms * 1000 : 0; }

std::string bytes_json(std::string_view bytes) {
  text::JsonArray array;
  for (const char c : bytes) array.integer(static_cast<int>(static_cast<unsigned char>(c)));
  return array.str();
}

text::JsonObject token_object(const TokenLogprob& token, const Tokenizer& tokenizer) {
  const std::string_view bytes = tokenizer.token_bytes(token.id);
  text::JsonObject object;
  object.text("token", bytes).number("logprob", token.logprob, 6).raw("bytes", bytes_json(bytes));
  object.integer("id", token.id);
  return object;
}

std::string token_list(std::span<const TokenText> tokens, bool in_thought, const Tokenizer& tokenizer) {
  text::JsonArray list;
  for (const TokenText& token : tokens) {
    if (token.in_thought != in_thought) continue;
    text::JsonArray top;
    for (const TokenLogprob& other : token.top) top.raw(token_object(other, tokenizer).str());
    list.raw(token_object(token.chosen, tokenizer).raw("top_logprobs", top.str()).str());
  }
  return list.str();
}

ApiError timeout_error(TimeLimit limit) {
  ApiError error{.status = 504, .message = "the time for this answer is over", .code = "timeout", .retry_after_s = 5};
  if (limit == TimeLimit::kQueue) error.message = "too many requests are before this one; try again later";
  if (limit == TimeLimit::kFirstToken) error.message = "the prompt took too long; a shorter one helps";
  return error;
}

}  // namespace

std::string_view finish_reason(const ChoiceResult& result) {
  if (!result.tool_calls.empty() && result.finish == Finish::kStop) return "tool_calls";
  return result.finish == Finish::kLength || result.finish == Finish::kTimeout ? "length" : "stop";
}

std::string_view finish_detail(const ChoiceResult& result) {
  const bool is_told = result.finish == Finish::kStop || result.finish == Finish::kLength;
  return is_told || result.finish == Finish::kRunning ? std::string_view{} : engine::finish_name(result.finish);
}

std::string_view thought_end_name(ThoughtEnd end) {
  switch (end) {
    case ThoughtEnd::kBudget:
      return "budget";
    case ThoughtEnd::kLoop:
      return "loop";
    case ThoughtEnd::kAsked:
      return "asked";
    default:
      return {};
  }
}

void add_finish(text::JsonObject& choice, const ChoiceResult& result) {
  choice.text("finish_reason", finish_reason(result));
  if (const auto detail = finish_detail(result); !detail.empty()) choice.text("finish_detail", detail);
  if (const auto end = thought_end_name(result.thought_end); !end.empty()) choice.text("thought_end", end);
}

std::string usage_json(std::span<const ChoiceResult> choices) {
  // The prompt is one, however many answers were made of it.
  const RequestTimings& first = choices.front().timings;
  int n_generated = 0;
  int n_thought = 0;
  for (const ChoiceResult& choice : choices) {
    n_generated += choice.timings.n_generated;
    n_thought += choice.timings.n_thought;
  }
  text::JsonObject usage;
  usage.integer("prompt_tokens", first.n_prompt).integer("completion_tokens", n_generated);
  usage.integer("total_tokens", first.n_prompt + n_generated);
  usage.raw("prompt_tokens_details", text::JsonObject().integer("cached_tokens", first.n_cached).str());
  usage.raw("completion_tokens_details", text::JsonObject().integer("reasoning_tokens", n_thought).str());
  return usage.str();
}

std::string timings_json(std::span<const ChoiceResult> choices) {
  // Of the first choice; the whole is over when the last one is.
  const ChoiceResult& first = choices.front();
  const RequestTimings& t = first.timings;
  double total_ms = 0;
  for (const ChoiceResult& choice : choices) total_ms = std::max(total_ms, choice.total_ms);
  text::JsonObject timings;
  timings.number("queue_ms", t.queue_ms, 2).number("prefill_ms", t.prefill_ms, 2).number("decode_ms", t.decode_ms, 2);
  timings.number("total_ms", total_ms, 2).number("ttft_ms", first.first_token_ms, 2);
  timings.number("thinking_ms", first.thinking_ms, 2).number("first_answer_ms", first.first_answer_ms, 2);
  timings.number("prefill_tokens_per_second", per_second(t.n_prompt - t.n_cached, t.prefill_ms), 2);
  // The first token comes with the prefill; the others are what decoding made.
  timings.number("tokens_per_second", per_second(t.n_generated - 1, t.decode_ms), 2);
  return timings.str();
}

std::string string_list(std::span<const std::string> items) {
  text::JsonArray list;
  for (const std::string& item : items) list.text(item);
  return list.str();
}

std::string tool_calls_json(std::span<const ToolCall> calls, std::size_t first_index) {
  text::JsonArray list;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    text::JsonObject call;
    call.integer("index", first_index + i).text("id", calls[i].id).text("type", "function");
    call.raw("function", text::JsonObject().text("name", calls[i].name).text("arguments", calls[i].arguments).str());
    list.raw(call.str());
  }
  return list.str();
}

std::string chat_logprobs_json(std::span<const TokenText> tokens, const Tokenizer& tokenizer) {
  text::JsonObject object;
  object.raw("content", token_list(tokens, false, tokenizer));
  const std::string thought = token_list(tokens, true, tokenizer);
  if (thought != "[]") object.raw("reasoning_content", thought);
  return object.str();
}

bool is_empty_timeout(const ChoiceResult& result) {
  return result.finish == Finish::kTimeout && result.timings.n_generated == 0;
}

std::optional<ApiError> failure_of(std::span<const ChoiceResult> choices) {
  for (const ChoiceResult& choice : choices) {
    if (is_empty_timeout(choice)) return timeout_error(choice.time_limit);
    if (choice.finish != Finish::kFailed) continue;
    return to_api_error(choice.error.value_or(Error{ErrorCode::kInternal, "the engine gave up without a reason"}));
  }
  return std::nullopt;
}

}  // namespace reckon::server
