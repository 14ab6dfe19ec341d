#include <algorithm>

#include "chat/partial_mark.h"
#include "reckon/chat.h"

namespace reckon {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

ReasoningParser::ReasoningParser(ThoughtMarks marks, bool starts_in_thought)
    : marks_(std::move(marks)),
      in_thought_(starts_in_thought && !marks_.close.empty()),
      may_open_(!marks_.open.empty() && !marks_.close.empty()) {}

ReasoningParser::Delta ReasoningParser::push(std::string_view text) {
  held_ += text;
  return split(false);
}

ReasoningParser::Delta ReasoningParser::finish() { return split(true); }

// Takes <think> off the start of the stream, with the white space in front of it. A model whose prompt opens the
// thought already may write the mark again. False: not decided yet.
bool ReasoningParser::take_open_mark(bool is_final) {
  const std::size_t start = std::min(held_.find_first_not_of(kSpace), held_.size());
  const std::string_view rest = std::string_view(held_).substr(start);
  if (rest.starts_with(marks_.open)) {
    held_.erase(0, start + marks_.open.size());
    in_thought_ = true;
  } else if (!is_final && std::string_view(marks_.open).starts_with(rest)) {
    return false;
  }
  may_open_ = false;
  return true;
}

ReasoningParser::Delta ReasoningParser::split(bool is_final) {
  Delta delta;
  if (may_open_ && !take_open_mark(is_final)) return delta;
  if (in_thought_) {
    const std::size_t close = held_.find(marks_.close);
    if (close == std::string::npos) {
      const std::size_t kept = is_final ? 0 : chat::partial_mark(held_, marks_.close);
      emit(delta.reasoning, std::string_view(held_).substr(0, held_.size() - kept));
      held_.erase(0, held_.size() - kept);
      return delta;
    }
    emit(delta.reasoning, std::string_view(held_).substr(0, close));
    held_.erase(0, close + marks_.close.size());
    in_thought_ = false;
    trim_ = true;
    indent_.clear();
  }
  emit(delta.content, held_);
  held_.clear();
  return delta;
}

void ReasoningParser::emit(std::string& part, std::string_view text) {
  if (trim_) {
    const std::size_t start = std::min(text.find_first_not_of(kSpace), text.size());
    const std::string_view space = text.substr(0, start);
    if (const std::size_t line = space.rfind('\n'); line != std::string_view::npos) {
      indent_ = space.substr(line + 1);
    } else {
      indent_ += space;
    }
    if (start == text.size()) return;
    part += indent_;
    indent_.clear();
    text.remove_prefix(start);
    trim_ = false;
  }
  part += text;
}

}  // namespace reckon
