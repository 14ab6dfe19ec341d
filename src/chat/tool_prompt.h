#pragma once
// Tools for models whose template knows nothing of them: they are described in the system message.

#include <string>
#include <string_view>
#include <vector>

#include "reckon/chat.h"

namespace reckon::chat {

enum class ToolForm : std::uint8_t { kHermes, kR1 };  // how calls are written, see ToolCallParser

struct ToolSupport {
  bool in_template = false;  // the template shows the tools to the model
  ToolForm form = ToolForm::kHermes;
};

// Tries the template with a tool and a call.
[[nodiscard]] ToolSupport find_tool_support(const ChatTemplate& chat_template);

// Puts the description of the tools into the system message, which is made where there is none.
// `tools_json`: an array in OpenAI's form.
void describe_tools(std::vector<Message>& messages, std::string_view tools_json, ToolForm form);

}  // namespace reckon::chat
