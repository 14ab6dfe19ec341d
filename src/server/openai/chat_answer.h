#pragma once
// A chat completion as one body, when all of it is there.

#include <memory>

#include "http/exchange.h"
#include "server/answer_frame.h"
#include "server/running_answer.h"

namespace reckon::server {

class ChatAnswer final : public AnswerListener {
 public:
  ChatAnswer(std::shared_ptr<http::Exchange> exchange, AnswerFrame frame)
      : exchange_(std::move(exchange)), frame_(std::move(frame)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  std::shared_ptr<http::Exchange> exchange_;
  AnswerFrame frame_;
};

}  // namespace reckon::server
