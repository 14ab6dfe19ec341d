#pragma once
// A chat completion as server-sent events: for each choice a chunk with the role, deltas and a chunk with the reason of
// its end; then the usage, where asked for, and [DONE].

#include <memory>
#include <vector>

#include "server/answer_frame.h"
#include "server/running_answer.h"
#include "server/sse_writer.h"
#include "text/json_writer.h"

namespace reckon::server {

class ChatStream final : public AnswerListener {
 public:
  ChatStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame, std::size_t n_choices);

  // The engine took the request: sends the head and what came so far. Any thread.
  void open() { writer_->open(frame_.headers); }

  bool on_piece(std::size_t choice, const Piece& piece) override;
  void on_queue_place(std::size_t choice, int place) override;
  void on_progress(std::size_t choice, const PrefillProgress& progress) override;
  void on_choice_end(std::size_t choice, const ChoiceResult& result) override;
  void on_end(std::span<const ChoiceResult> choices) override;

 private:
  [[nodiscard]] text::JsonObject chunk() const;
  [[nodiscard]] std::string choice_chunk(const text::JsonObject& choice) const;

  std::shared_ptr<SseWriter> writer_;
  AnswerFrame frame_;
  std::vector<std::size_t> n_calls_;  // of each choice, so far
};

}  // namespace reckon::server
