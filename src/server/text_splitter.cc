#include "server/text_splitter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/random_id.h"

namespace reckon::server {

void TextSplitter::Delta::append(Delta other) {
  reasoning += other.reasoning;
  content += other.content;
  std::ranges::move(other.calls, std::back_inserter(calls));
}

TextSplitter::TextSplitter(const ThoughtMarks& marks, bool starts_in_thought, ThoughtFormat format,
                           std::vector<std::string> tool_names)
    : parser_(marks, starts_in_thought), format_(format) {
  if (!tool_names.empty()) call_parser_.emplace(std::move(tool_names));
  if (format == ThoughtFormat::kInline && starts_in_thought) prefix_ = marks.open + "\n";
}

TextSplitter::Delta TextSplitter::push(std::string_view text) {
  if (text.empty()) return {};
  Delta delta = split_thought(text);
  take_calls(delta, false);
  return delta;
}

TextSplitter::Delta TextSplitter::finish() {
  Delta delta;
  if (format_ == ThoughtFormat::kSplit || format_ == ThoughtFormat::kHidden) {
    ReasoningParser::Delta rest = parser_.finish();
    if (format_ == ThoughtFormat::kSplit) delta.reasoning = std::move(rest.reasoning);
    delta.content = std::move(rest.content);
  }
  take_calls(delta, true);
  return delta;
}

TextSplitter::Delta TextSplitter::split_thought(std::string_view text) {
  Delta delta;
  if (format_ == ThoughtFormat::kNone || format_ == ThoughtFormat::kInline) {
    delta.content = std::exchange(prefix_, {}) + std::string(text);
    return delta;
  }
  ReasoningParser::Delta parts = parser_.push(text);
  if (format_ == ThoughtFormat::kSplit) delta.reasoning = std::move(parts.reasoning);
  delta.content = std::move(parts.content);
  return delta;
}

void TextSplitter::take_calls(Delta& delta, bool is_final) {
  if (!call_parser_) return;
  ToolCallParser::Delta parts = call_parser_->push(delta.content);
  if (is_final) {
    ToolCallParser::Delta rest = call_parser_->finish();
    parts.content += rest.content;
    std::ranges::move(rest.calls, std::back_inserter(parts.calls));
  }
  delta.content = std::move(parts.content);
  delta.calls = std::move(parts.calls);
  for (ToolCall& call : delta.calls) call.id = random_id("call_");
}

}  // namespace reckon::server
