#pragma once
// Calls of tools in the text of an answer: <tool_call>{"name": ..., "arguments": {...}}</tool_call> (Hermes, Qwen) and
// DeepSeek-R1's <｜tool▁call▁begin｜>function<｜tool▁sep｜>name, arguments in a fence of JSON, <｜tool▁call▁end｜>.
// Streams: the joined deltas do not depend on where the text was cut. What looks like a call but is none stays content.
// Thread: one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/chat.h"

namespace reckon::chat {

class ToolCallParser {
 public:
  struct Delta {
    std::string content;
    std::vector<ToolCall> calls;  // without ids
  };
  Delta push(std::string_view text);
  Delta finish();

 private:
  bool step(Delta& delta);
  bool step_outside(Delta& delta);
  bool step_inside(Delta& delta);
  void emit(Delta& delta, std::string_view text);

  std::string held_;         // a call that is not complete, or what may be the start of a mark
  int form_ = -1;            // of the call that is open; -1: none
  bool after_call_ = false;  // white space between calls is no content
};

// One call as the model writes it between its marks, or alone: {"name": ..., "arguments": {...}}.
[[nodiscard]] std::optional<ToolCall> parse_tool_call(std::string_view json);

}  // namespace reckon::chat
