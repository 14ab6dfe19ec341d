#include "server/openai/chat_stream.h"

#include <utility>

#include "server/openai/answer_parts.h"

namespace reckon::server {
namespace {

text::JsonObject choice_of(std::size_t index, const text::JsonObject& delta) {
  text::JsonObject choice;
  choice.integer("index", index).raw("delta", delta.str());
  return choice;
}

}  // namespace

ChatStream::ChatStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame, std::size_t n_choices)
    : writer_(std::move(writer)), frame_(std::move(frame)), n_calls_(n_choices) {
  for (std::size_t i = 0; i < n_choices; ++i) {
    text::JsonObject choice = choice_of(i, text::JsonObject().text("role", "assistant").text("content", ""));
    choice.null("logprobs").null("finish_reason");
    text::JsonObject object = chunk();
    object.raw("choices", text::JsonArray().raw(choice.str()).str());
    if (frame_.include_usage) object.null("usage");
    if (i == 0 && !frame_.warnings.empty()) object.raw("warnings", string_list(frame_.warnings));
    writer_->event(object.str());
  }
}

bool ChatStream::on_piece(std::size_t index, const Piece& piece) {
  text::JsonObject delta;
  if (!piece.text.reasoning.empty()) delta.text("reasoning_content", piece.text.reasoning);
  const bool has_calls = !piece.text.calls.empty();
  if (!piece.text.content.empty() || (piece.text.reasoning.empty() && !has_calls)) {
    delta.text("content", piece.text.content);
  }
  if (has_calls) {
    delta.raw("tool_calls", tool_calls_json(piece.text.calls, n_calls_[index]));
    n_calls_[index] += piece.text.calls.size();
  }
  text::JsonObject choice = choice_of(index, delta);
  frame_.logprobs ? choice.raw("logprobs", chat_logprobs_json(piece.tokens, *frame_.tokenizer))
                  : choice.null("logprobs");
  choice.null("finish_reason");
  return writer_->event(choice_chunk(choice));
}

void ChatStream::on_queue_place(std::size_t, int place) {
  writer_->event(chunk().raw("choices", "[]").raw("queue", text::JsonObject().integer("place", place).str()).str());
}

// As llama.cpp tells it.
void ChatStream::on_progress(std::size_t, const PrefillProgress& progress) {
  text::JsonObject numbers;
  numbers.integer("total", progress.n_total).integer("cache", progress.n_cached).integer("processed", progress.n_done);
  writer_->event(chunk().raw("choices", "[]").raw("prompt_progress", numbers.str()).str());
}

void ChatStream::on_choice_end(std::size_t index, const ChoiceResult& result) {
  if (result.finish == Finish::kFailed || is_empty_timeout(result)) return;  // on_end() tells
  text::JsonObject choice = choice_of(index, {});
  choice.null("logprobs");
  add_finish(choice, result);
  text::JsonObject object = chunk();
  object.raw("choices", text::JsonArray().raw(choice.str()).str());
  if (frame_.include_usage) object.null("usage");
  object.raw("timings", timings_json({&result, 1})).integer("seed", frame_.seed + index);
  writer_->event(object.str());
}

void ChatStream::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) {
    writer_->event(error_json(*error));
  } else if (frame_.include_usage) {
    text::JsonObject object = chunk();
    object.raw("choices", "[]").raw("usage", usage_json(choices)).raw("timings", timings_json(choices));
    writer_->event(object.str());
  }
  writer_->close("[DONE]");
}

text::JsonObject ChatStream::chunk() const {
  text::JsonObject object;
  object.text("id", frame_.id).text("object", "chat.completion.chunk").integer("created", frame_.created);
  object.text("model", frame_.model);
  return object;
}

std::string ChatStream::choice_chunk(const text::JsonObject& choice) const {
  text::JsonObject object = chunk();
  object.raw("choices", text::JsonArray().raw(choice.str()).str());
  if (frame_.include_usage) object.null("usage");
  return object.str();
}

}  // namespace reckon::server
