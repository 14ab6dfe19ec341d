#include "server/text_splitter.h"

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
                           ToolCalls tool_calls)
    : parser_(marks, starts_in_thought), format_(format), tool_calls_(tool_calls) {
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
  if (tool_calls_ == ToolCalls::kInText) {
    chat::ToolCallParser::Delta parts = call_parser_.push(delta.content);
    if (is_final) {
      chat::ToolCallParser::Delta rest = call_parser_.finish();
      parts.content += rest.content;
      std::ranges::move(rest.calls, std::back_inserter(parts.calls));
    }
    delta.content = std::move(parts.content);
    delta.calls = std::move(parts.calls);
  } else if (tool_calls_ == ToolCalls::kWhole) {
    whole_ += std::exchange(delta.content, {});
    if (!is_final) return;
    // Cut off by max_tokens it is no call, but what came is shown.
    if (auto call = chat::parse_tool_call(whole_)) {
      delta.calls.push_back(*std::move(call));
    } else {
      delta.content = std::move(whole_);
    }
  }
  for (ToolCall& call : delta.calls) call.id = random_id("call_");
}

}  // namespace reckon::server
