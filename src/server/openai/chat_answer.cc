#include "server/openai/chat_answer.h"

#include "server/openai/answer_parts.h"

namespace reckon::server {
namespace {

std::string choice_json(std::size_t index, const ChoiceResult& result, const AnswerFrame& frame) {
  text::JsonObject message;
  message.text("role", "assistant");
  const bool only_calls = result.content.empty() && !result.tool_calls.empty();
  only_calls ? message.null("content") : message.text("content", result.content);
  message.null("refusal");
  if (!result.reasoning.empty()) message.text("reasoning_content", result.reasoning);
  if (!result.tool_calls.empty()) message.raw("tool_calls", tool_calls_json(result.tool_calls, 0));
  text::JsonObject choice;
  choice.integer("index", index).raw("message", message.str());
  frame.logprobs ? choice.raw("logprobs", chat_logprobs_json(result.tokens, *frame.tokenizer))
                 : choice.null("logprobs");
  add_finish(choice, result);
  return choice.str();
}

}  // namespace

void ChatAnswer::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) return exchange_->respond(error_response(*error));
  text::JsonArray list;
  for (std::size_t i = 0; i < choices.size(); ++i) list.raw(choice_json(i, choices[i], frame_));
  text::JsonObject body;
  body.text("id", frame_.id).text("object", "chat.completion").integer("created", frame_.created);
  body.text("model", frame_.model).raw("choices", list.str());
  body.raw("usage", usage_json(choices)).raw("timings", timings_json(choices));
  body.integer("seed", frame_.seed);
  if (!frame_.warnings.empty()) body.raw("warnings", string_list(frame_.warnings));
  http::Response response;
  response.body = body.str();
  response.headers = frame_.headers;
  exchange_->respond(std::move(response));
}

}  // namespace reckon::server
