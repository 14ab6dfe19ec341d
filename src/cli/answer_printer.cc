#include "cli/answer_printer.h"

#include <fmt/format.h>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

using Clock = std::chrono::steady_clock;

ThoughtView settled(ThoughtView view, const Io& io) {
  if (view != ThoughtView::kAuto) return view;
  return io.out_is_terminal ? ThoughtView::kDim : ThoughtView::kHide;
}

}  // namespace

AnswerPrinter::AnswerPrinter(Io& io, ThoughtView view) : io_(io), style_(io.out_colour), view_(settled(view, io)) {}

bool AnswerPrinter::push(const ReasoningParser::Delta& delta) {
  bool ok = true;
  if (!delta.reasoning.empty()) {
    if (!in_thought_) ok = begin_thought();
    if (view_ != ThoughtView::kHide) ok = text(delta.reasoning) && ok;
  }
  if (!delta.content.empty()) {
    if (in_thought_) ok = end_thought() && ok;
    ok = text(delta.content) && ok;
  }
  return ok;
}

bool AnswerPrinter::finish() {
  bool ok = true;
  if (in_thought_) ok = end_thought();
  if (wrote_ && !at_line_start_) ok = io_.out.write("\n") && ok;
  at_line_start_ = true;
  return ok;
}

bool AnswerPrinter::begin_thought() {
  in_thought_ = true;
  had_thought_ = true;
  thought_start_ = Clock::now();
  switch (view_) {
    case ThoughtView::kHide:
      // A person sees that something happens; a pipe sees nothing.
      return !io_.out_is_terminal || io_.out.write(fmt::format("{}thinking ...{}", style_.faint(), style_.reset()));
    case ThoughtView::kPlain:
      return io_.out.write("[thinking]\n");
    default:
      return io_.out.write(fmt::format("{}thinking{}\n{}", style_.faint(), style_.reset(), style_.faint()));
  }
}

bool AnswerPrinter::end_thought() {
  in_thought_ = false;
  const double seconds = std::chrono::duration<double>(Clock::now() - thought_start_).count();
  const std::string note = fmt::format("thought for {:.1f} s", seconds);
  std::string line;
  if (view_ == ThoughtView::kHide) {
    if (!io_.out_is_terminal) return true;
    line = fmt::format("\r\x1b[K{}{}{}\n", style_.faint(), note, style_.reset());
  } else {
    if (!at_line_start_) line += "\n";
    if (view_ == ThoughtView::kPlain) {
      line += fmt::format("[{}]\n\n", note);
    } else {
      line += fmt::format("{}{}{}\n\n", style_.reset(), style_.faint(), note) + std::string(style_.reset());
    }
  }
  at_line_start_ = true;
  return io_.out.write(line);
}

bool AnswerPrinter::text(std::string_view piece) {
  wrote_ = true;
  at_line_start_ = piece.ends_with('\n');
  return io_.out.write(io_.out_is_terminal ? without_controls(piece) : std::string(piece));
}

}  // namespace reckon::cli
