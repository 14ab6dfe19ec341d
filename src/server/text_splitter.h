#pragma once
// The raw text of an answer as a client wants to see it: thought apart, inline or not at all. Thread: one.

#include <string>
#include <string_view>

#include "reckon/chat.h"

namespace reckon::server {

enum class ThoughtFormat : std::uint8_t {
  kSplit,   // reasoning_content beside content (DeepSeek's form)
  kNone,    // all text in content, exactly as the model wrote it
  kInline,  // the same, and the opening mark that the prompt ended with is put back
  kHidden,  // content alone
};

class TextSplitter {
 public:
  using Delta = ReasoningParser::Delta;

  TextSplitter(const ThoughtMarks& marks, bool starts_in_thought, ThoughtFormat format);
  Delta push(std::string_view text);
  Delta finish();

 private:
  ReasoningParser parser_;
  ThoughtFormat format_;
  std::string prefix_;  // to be put in front of the first text
};

}  // namespace reckon::server
