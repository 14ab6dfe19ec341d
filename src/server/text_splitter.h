#pragma once
// The raw text of an answer as a client wants to see it: thought apart, inline or not at all; calls of tools taken out.
// Thread: one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  struct Delta {
    std::string reasoning;
    std::string content;
    std::vector<ToolCall> calls;  // with ids
    [[nodiscard]] bool empty() const { return reasoning.empty() && content.empty() && calls.empty(); }
    void append(Delta other);
  };

  // `tool_names`: what may be called; empty: text is text.
  TextSplitter(const ThoughtMarks& marks, bool starts_in_thought, ThoughtFormat format,
               std::vector<std::string> tool_names = {});
  Delta push(std::string_view text);
  Delta finish();

 private:
  Delta split_thought(std::string_view text);
  void take_calls(Delta& delta, bool is_final);

  ReasoningParser parser_;
  std::optional<ToolCallParser> call_parser_;
  ThoughtFormat format_;
  std::string prefix_;  // to be put in front of the first text
};

}  // namespace reckon::server
