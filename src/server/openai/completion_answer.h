#pragma once
// A plain completion as one body, and as server-sent events.

#include <memory>
#include <string>
#include <vector>

#include "http/exchange.h"
#include "server/answer_frame.h"
#include "server/running_answer.h"
#include "server/sse_writer.h"
#include "text/json_writer.h"

namespace reckon::server {

// What completions add to the frame. Sequences come prompt by prompt, `n_made` for each.
struct CompletionShape {
  std::size_t n = 1;
  std::size_t n_made = 1;
  std::vector<std::string> echoes;      // the texts of the prompts; empty: not asked for
  std::vector<TokenText> first_tokens;  // with echoes: what each prompt starts with, which has no probability
};

class CompletionAnswer final : public AnswerListener {
 public:
  CompletionAnswer(std::shared_ptr<http::Exchange> exchange, AnswerFrame frame, CompletionShape shape)
      : exchange_(std::move(exchange)), frame_(std::move(frame)), shape_(std::move(shape)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> made) override;

 private:
  std::shared_ptr<http::Exchange> exchange_;
  AnswerFrame frame_;
  CompletionShape shape_;
};

class CompletionStream final : public AnswerListener {
 public:
  CompletionStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame, CompletionShape shape);

  void open() { writer_->open(frame_.headers); }
  bool on_piece(std::size_t choice, const Piece& piece) override;
  void on_choice_end(std::size_t choice, const ChoiceResult& result) override;
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  [[nodiscard]] text::JsonObject chunk(const text::JsonObject* choice) const;

  std::shared_ptr<SseWriter> writer_;
  AnswerFrame frame_;
  CompletionShape shape_;
  std::vector<std::size_t> offsets_;  // of each choice: bytes of text so far
};

}  // namespace reckon::server
