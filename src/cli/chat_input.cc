#include "cli/chat_input.h"

#include <utility>

namespace reckon::cli {
namespace {
constexpr std::string_view kQuotes = "\"\"\"";
}

std::optional<std::string> MessageAssembler::push(std::string_view line) {
  if (!in_block_ && !continued_ && line.starts_with(kQuotes)) {
    in_block_ = true;
    line.remove_prefix(kQuotes.size());
    if (line.empty()) return std::nullopt;
  }
  if (in_block_) {
    const bool closes = line.ends_with(kQuotes);
    if (closes) line.remove_suffix(kQuotes.size());
    // Quotes alone on a line end the block without a line of their own.
    if (!(closes && line.empty() && !text_.empty())) {
      if (!text_.empty()) text_ += '\n';
      text_ += line;
    }
    if (!closes) return std::nullopt;
    return take_rest();
  }
  const bool goes_on = line.ends_with('\\');
  if (goes_on) line.remove_suffix(1);
  if (continued_) text_ += '\n';
  text_ += line;
  continued_ = goes_on;
  if (goes_on) return std::nullopt;
  return take_rest();
}

std::string MessageAssembler::take_rest() {
  std::string text = std::move(text_);
  reset();
  return text;
}

void MessageAssembler::reset() {
  text_.clear();
  in_block_ = false;
  continued_ = false;
}

}  // namespace reckon::cli
