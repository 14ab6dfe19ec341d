#include "server/text_splitter.h"

#include <utility>

namespace reckon::server {

TextSplitter::TextSplitter(const ThoughtMarks& marks, bool starts_in_thought, ThoughtFormat format)
    : parser_(marks, starts_in_thought), format_(format) {
  if (format == ThoughtFormat::kInline && starts_in_thought) prefix_ = marks.open + "\n";
}

TextSplitter::Delta TextSplitter::push(std::string_view text) {
  Delta delta;
  if (text.empty()) return delta;
  if (format_ == ThoughtFormat::kNone || format_ == ThoughtFormat::kInline) {
    delta.content = std::exchange(prefix_, {}) + std::string(text);
    return delta;
  }
  delta = parser_.push(text);
  if (format_ == ThoughtFormat::kHidden) delta.reasoning.clear();
  return delta;
}

TextSplitter::Delta TextSplitter::finish() {
  if (format_ == ThoughtFormat::kNone || format_ == ThoughtFormat::kInline) return {};
  Delta delta = parser_.finish();
  if (format_ == ThoughtFormat::kHidden) delta.reasoning.clear();
  return delta;
}

}  // namespace reckon::server
