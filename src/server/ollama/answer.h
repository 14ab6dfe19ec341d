#pragma once
// An answer in Ollama's form: as one body, or line by line (NDJSON).

#include <memory>

#include "server/ollama/wire.h"
#include "server/running_answer.h"
#include "server/stream_writer.h"

namespace reckon::server::ollama {

class Answer final : public AnswerListener {
 public:
  Answer(std::shared_ptr<http::Exchange> exchange, Frame frame)
      : exchange_(std::move(exchange)), frame_(std::move(frame)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  std::shared_ptr<http::Exchange> exchange_;
  Frame frame_;
};

class Stream final : public AnswerListener {
 public:
  Stream(std::shared_ptr<http::Exchange> exchange, std::chrono::milliseconds heartbeat, Frame frame);

  // The engine took the request: sends the head and what came so far. Any thread.
  void open() { writer_.open(frame_.headers); }

  bool on_piece(std::size_t choice, const Piece& piece) override;
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  StreamWriter writer_;
  Frame frame_;
};

}  // namespace reckon::server::ollama
