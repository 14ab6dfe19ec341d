#include "chat/tool_prompt.h"

namespace reckon::chat {
namespace {

constexpr std::string_view kProbe = "probe_of_tools";
constexpr std::string_view kR1Mark = "<｜tool▁call▁begin｜>";

constexpr std::string_view kHermesForm = "<tool_call>\n{\"name\": \"NAME\", \"arguments\": {...}}\n</tool_call>\n";
constexpr std::string_view kR1Form =
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{...}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n";

Message make_message(std::string role, std::string content) {
  Message message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

bool shows(const Result<Prompt>& prompt, std::string_view text) {
  return prompt && prompt->text().find(text) != std::string::npos;
}

}  // namespace

ToolSupport find_tool_support(const ChatTemplate& chat_template) {
  ToolSupport support;
  RenderOptions options;
  options.tools_json = R"([{"type": "function", "function": {"name": ")" + std::string(kProbe) +
                       R"(", "description": "", "parameters": {"type": "object", "properties": {}}}}])";
  support.in_template = shows(chat_template.render({make_message("user", "x")}, options), kProbe);
  Message call = make_message("assistant", "");
  call.tool_calls.push_back({.id = "1", .name = std::string(kProbe), .arguments = "{}"});
  if (shows(chat_template.render({make_message("user", "x"), call}, {}), kR1Mark)) support.form = ToolForm::kR1;
  return support;
}

void describe_tools(std::vector<Message>& messages, std::string_view tools_json, ToolForm form) {
  std::string text = "You can call tools. These are their signatures, as a JSON list:\n";
  text += tools_json;
  text += "\nTo call one, write this, with its name and a JSON object of arguments that fits its signature:\n";
  text += form == ToolForm::kR1 ? kR1Form : kHermesForm;
  text += "Then wait for the result. Call a tool only where it helps; otherwise answer yourself.";
  if (!messages.empty() && (messages.front().role == "system" || messages.front().role == "developer")) {
    messages.front().content += "\n\n" + text;
  } else {
    messages.insert(messages.begin(), make_message("system", std::move(text)));
  }
}

}  // namespace reckon::chat
