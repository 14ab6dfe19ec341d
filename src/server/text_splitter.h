#pragma once
// The raw text of an answer as a client wants to see it: thought apart, inline or not at all; calls of tools taken out.
// Thread: one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/tool_call_parser.h"
#include "reckon/chat.h"

namespace reckon::server {

enum class ThoughtFormat : std::uint8_t {
  kSplit,   // reasoning_content beside content (DeepSeek's form)
  kNone,    // all text in content, exactly as the model wrote it
  kInline,  // the same, and the opening mark that the prompt ended with is put back
  kHidden,  // content alone
};

enum class ToolCalls : std::uint8_t {
  kNone,    // text is text
  kInText,  // between marks
  kWhole,   // the whole answer is one call, {"name": ..., "arguments": {...}}
};

class TextSplitter {
 public:
  struct Delta {
    std::string reasoning;
    std::string content;
    std::vector<ToolCall> calls;  // with ids
    [[nodiscard]] bool empty() const { return reasoning.empty() && content.empty() && calls.empty(); }
    void append(Delta other);
  };

  TextSplitter(const ThoughtMarks& marks, bool starts_in_thought, ThoughtFormat format,
               ToolCalls tool_calls = ToolCalls::kNone);
  Delta push(std::string_view text);
  Delta finish();

 private:
  Delta split_thought(std::string_view text);
  void take_calls(Delta& delta, bool is_final);

  ReasoningParser parser_;
  chat::ToolCallParser call_parser_;
  ThoughtFormat format_;
  ToolCalls tool_calls_;
  std::string prefix_;  // to be put in front of the first text
  std::string whole_;   // kWhole: the content so far
};

}  // namespace reckon::server
