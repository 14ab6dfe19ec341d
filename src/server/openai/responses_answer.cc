#include "server/openai/responses_answer.h"

#include <utility>

#include "server/openai/answer_parts.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

std::string text_part(std::string_view type, const std::string& text) {
  text::JsonObject part;
  part.text("type", type).text("text", text);
  if (type == "output_text") part.raw("annotations", "[]");
  return part.str();
}

std::string reasoning_item(const std::string& id, const std::string& text, std::string_view status) {
  text::JsonObject item;
  item.text("id", id).text("type", "reasoning").text("status", status).raw("summary", "[]");
  item.raw("content", text.empty() ? "[]" : "[" + text_part("reasoning_text", text) + "]");
  return item.str();
}

std::string message_item(const std::string& id, const std::string& text, std::string_view status) {
  text::JsonObject item;
  item.text("id", id).text("type", "message").text("role", "assistant").text("status", status);
  item.raw("content", status == "in_progress" ? "[]" : "[" + text_part("output_text", text) + "]");
  return item.str();
}

std::string call_item(const ToolCall& call) {
  text::JsonObject item;
  item.text("id", "fc_" + call.id).text("type", "function_call").text("status", "completed");
  return item.text("call_id", call.id).text("name", call.name).text("arguments", call.arguments).str();
}

std::string usage_of(const ChoiceResult& result) {
  const RequestTimings& t = result.timings;
  text::JsonObject usage;
  usage.integer("input_tokens", t.n_prompt);
  usage.raw("input_tokens_details", text::JsonObject().integer("cached_tokens", t.n_cached).str());
  usage.integer("output_tokens", t.n_generated);
  usage.raw("output_tokens_details", text::JsonObject().integer("reasoning_tokens", t.n_thought).str());
  return usage.integer("total_tokens", t.n_prompt + t.n_generated).str();
}

std::string output_of(const ChoiceResult& result) {
  text::JsonArray output;
  if (!result.reasoning.empty()) output.raw(reasoning_item(random_id("rs_"), result.reasoning, "completed"));
  if (!result.content.empty() || result.tool_calls.empty()) {
    output.raw(message_item(random_id("msg_"), result.content, "completed"));
  }
  for (const ToolCall& call : result.tool_calls) output.raw(call_item(call));
  return output.str();
}

text::JsonObject head_of(const AnswerFrame& frame, std::string_view status) {
  text::JsonObject body;
  body.text("id", frame.id).text("object", "response").integer("created_at", frame.created).text("status", status);
  body.text("model", frame.model).null("error").null("instructions").null("previous_response_id");
  body.boolean("parallel_tool_calls", true).boolean("store", false).raw("tools", "[]").text("tool_choice", "auto");
  return body;
}

std::string running_body(const AnswerFrame& frame) {
  return head_of(frame, "in_progress").null("incomplete_details").raw("output", "[]").null("usage").str();
}

std::string complete_body(const AnswerFrame& frame, const ChoiceResult& result) {
  const bool is_complete = finish_reason(result) != "length";
  text::JsonObject body = head_of(frame, is_complete ? "completed" : "incomplete");
  is_complete ? body.null("incomplete_details")
              : body.raw("incomplete_details", text::JsonObject().text("reason", "max_output_tokens").str());
  body.raw("output", output_of(result)).raw("usage", usage_of(result)).raw("timings", timings_json({&result, 1}));
  if (!frame.warnings.empty()) body.raw("warnings", string_list(frame.warnings));
  return body.str();
}

}  // namespace

void ResponsesAnswer::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) return exchange_->respond(error_response(*error));
  http::Response response;
  response.headers = frame_.headers;
  response.body = complete_body(frame_, choices.front());
  exchange_->respond(std::move(response));
}

ResponsesStream::ResponsesStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame)
    : writer_(std::move(writer)), frame_(std::move(frame)) {
  for (const char* type : {"response.created", "response.in_progress"}) {
    send(type, text::JsonObject().raw("response", running_body(frame_)));
  }
}

bool ResponsesStream::on_piece(std::size_t, const Piece& piece) {
  bool reads = add_text(Item::kReasoning, piece.text.reasoning);
  reads = add_text(Item::kMessage, piece.text.content) && reads;
  for (const ToolCall& call : piece.text.calls) add_call(call);
  return reads;
}

void ResponsesStream::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) {
    text::JsonObject event;
    send("error", event.text("code", error->code).text("message", error->message).null("param"));
    return writer_->close({});
  }
  if (index_ < 0) switch_to(Item::kMessage);  // an empty answer is a message, too
  switch_to(Item::kNone);
  const bool is_complete = finish_reason(choices.front()) != "length";
  send(is_complete ? "response.completed" : "response.incomplete",
       text::JsonObject().raw("response", complete_body(frame_, choices.front())));
  writer_->close({});
}

bool ResponsesStream::send(std::string_view type, text::JsonObject event) {
  text::JsonObject whole;
  whole.text("type", type).integer("sequence_number", sequence_++);
  return writer_->named_event(type, whole.merge(event).str());
}

text::JsonObject ResponsesStream::place() const {
  text::JsonObject object;
  return object.text("item_id", item_id_).integer("output_index", index_).integer("content_index", 0);
}

void ResponsesStream::switch_to(Item item) {
  if (item == item_) return;
  const bool was_message = item_ == Item::kMessage;
  if (item_ != Item::kNone) {
    const std::string part = text_part(was_message ? "output_text" : "reasoning_text", text_);
    send(was_message ? "response.output_text.done" : "response.reasoning_text.done", place().text("text", text_));
    send("response.content_part.done", place().raw("part", part));
    const std::string done =
        was_message ? message_item(item_id_, text_, "completed") : reasoning_item(item_id_, text_, "completed");
    send("response.output_item.done", text::JsonObject().integer("output_index", index_).raw("item", done));
  }
  item_ = item;
  text_.clear();
  if (item == Item::kNone) return;
  ++index_;
  const bool is_message = item == Item::kMessage;
  item_id_ = random_id(is_message ? "msg_" : "rs_");
  const std::string added =
      is_message ? message_item(item_id_, "", "in_progress") : reasoning_item(item_id_, "", "in_progress");
  send("response.output_item.added", text::JsonObject().integer("output_index", index_).raw("item", added));
  send("response.content_part.added",
       place().raw("part", text_part(is_message ? "output_text" : "reasoning_text", "")));
}

bool ResponsesStream::add_text(Item item, const std::string& text) {
  if (text.empty()) return true;
  switch_to(item);
  text_ += text;
  text::JsonObject event = place();
  event.text("delta", text);
  if (item == Item::kReasoning) return send("response.reasoning_text.delta", std::move(event));
  return send("response.output_text.delta", event.raw("logprobs", "[]"));
}

void ResponsesStream::add_call(const ToolCall& call) {
  switch_to(Item::kNone);
  ++index_;
  const std::string id = "fc_" + call.id;
  const std::string item = call_item(call);
  send("response.output_item.added", text::JsonObject().integer("output_index", index_).raw("item", item));
  text::JsonObject done;
  done.text("item_id", id).integer("output_index", index_).text("name", call.name).text("arguments", call.arguments);
  send("response.function_call_arguments.done", std::move(done));
  send("response.output_item.done", text::JsonObject().integer("output_index", index_).raw("item", item));
}

}  // namespace reckon::server
