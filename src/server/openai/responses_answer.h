#pragma once
// A response as one body, and as typed server-sent events.

#include <memory>
#include <string>

#include "http/exchange.h"
#include "server/answer_frame.h"
#include "server/running_answer.h"
#include "server/sse_writer.h"
#include "text/json_writer.h"

namespace reckon::server {

class ResponsesAnswer final : public AnswerListener {
 public:
  ResponsesAnswer(std::shared_ptr<http::Exchange> exchange, AnswerFrame frame)
      : exchange_(std::move(exchange)), frame_(std::move(frame)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  std::shared_ptr<http::Exchange> exchange_;
  AnswerFrame frame_;
};

// Items open when their first text comes and close when another begins.
class ResponsesStream final : public AnswerListener {
 public:
  ResponsesStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame);

  void open() { writer_->open(frame_.headers); }
  bool on_piece(std::size_t choice, const Piece& piece) override;
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  enum class Item : std::uint8_t { kNone, kReasoning, kMessage };
  bool send(std::string_view type, text::JsonObject event);
  void switch_to(Item item);
  bool add_text(Item item, const std::string& text);
  void add_call(const ToolCall& call);
  [[nodiscard]] text::JsonObject place() const;  // item_id, output_index, content_index

  std::shared_ptr<SseWriter> writer_;
  AnswerFrame frame_;
  int sequence_ = 0;
  int index_ = -1;  // of the item that is open or was last
  Item item_ = Item::kNone;
  std::string item_id_;
  std::string text_;  // of the item that is open
};

}  // namespace reckon::server
