#pragma once
// Shows an answer while it comes: the thought dimmed, plain or hidden, the content as it is.

#include <chrono>
#include <string>

#include "cli/generation_settings.h"
#include "cli/terminal.h"
#include "reckon/chat.h"

namespace reckon::cli {

// Owner: the command, one per answer. Thread: one.
// On a terminal control characters of the model are made harmless; in a pipe every byte passes.
class AnswerPrinter {
 public:
  AnswerPrinter(Io& io, ThoughtView view);

  // False: standard output is gone.
  bool push(const ReasoningParser::Delta& delta);
  // Ends the last line, and the dimming where the thought never closed.
  bool finish();

 private:
  bool begin_thought();
  bool end_thought();
  bool text(std::string_view piece);

  Io& io_;
  Style style_;
  ThoughtView view_;
  bool in_thought_ = false;
  bool had_thought_ = false;
  bool at_line_start_ = true;
  bool wrote_ = false;
  std::chrono::steady_clock::time_point thought_start_;
};

}  // namespace reckon::cli
