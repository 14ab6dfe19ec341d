#include "chat/conversation.h"

#include "chat/jinja/context.h"
#include "text/json.h"

namespace reckon::chat {
namespace {

using jinja::Mark;
using jinja::MarkedText;
using jinja::Value;
using Entries = std::vector<std::pair<Value, Value>>;

Value user_text(std::string_view text, Mark mark = Mark::kUser) {
  return Value::text(MarkedText(std::string(text), mark));
}

void add(Entries& entries, std::string_view name, Value value) {
  entries.emplace_back(Value::literal(name), std::move(value));
}

Value tool_call_value(const ToolCall& call, const MessageForm& form) {
  Value arguments = user_text(call.arguments);
  if (form.arguments_as_object) {
    const auto json = text::parse_json(call.arguments.empty() ? "{}" : call.arguments);
    if (json) arguments = jinja::to_value(*json, Mark::kUser);
  }
  Entries function;
  add(function, "name", user_text(call.name));
  add(function, "arguments", std::move(arguments));
  Entries entries;
  if (!call.id.empty()) add(entries, "id", user_text(call.id));
  add(entries, "type", Value::literal("function"));
  add(entries, "function", jinja::make_dict(std::move(function)));
  return jinja::make_dict(std::move(entries));
}

std::string_view without_thought(std::string_view content, const ThoughtMarks& marks) {
  const std::size_t close = marks.close.empty() ? std::string_view::npos : content.rfind(marks.close);
  return close == std::string_view::npos ? content : content.substr(close + marks.close.size());
}

Value content_value(const Message& message, const MessageForm& form, bool is_final) {
  const bool is_assistant = message.role == "assistant";
  if (is_final) {
    const bool blank = message.content.find_first_not_of(" \t\r\n") == std::string::npos;
    return user_text(blank ? kPlaceholder : std::string_view(message.content), Mark::kFinal);
  }
  if (is_assistant && message.content.empty() && !message.tool_calls.empty() && form.empty_content_as_none) {
    return Value::none();
  }
  if (is_assistant && form.drops_old_thoughts) return user_text(without_thought(message.content, form.marks));
  return user_text(message.content);
}

Value message_value(const Message& message, const MessageForm& form, bool is_final) {
  Entries entries;
  const bool renamed = form.developer_as_system && message.role == "developer";
  add(entries, "role", user_text(renamed ? "system" : std::string_view(message.role)));
  add(entries, "content", content_value(message, form, is_final));
  if (!message.reasoning_content.empty()) add(entries, "reasoning_content", user_text(message.reasoning_content));
  if (!message.name.empty()) add(entries, "name", user_text(message.name));
  if (!message.tool_call_id.empty()) add(entries, "tool_call_id", user_text(message.tool_call_id));
  if (!message.tool_calls.empty()) {
    std::vector<Value> calls;
    for (const ToolCall& call : message.tool_calls) calls.push_back(tool_call_value(call, form));
    add(entries, "tool_calls", jinja::make_list(std::move(calls)));
  }
  return jinja::make_dict(std::move(entries));
}

}  // namespace

Value message_values(const std::vector<Message>& messages, const MessageForm& form,
                     std::optional<std::size_t> final_message) {
  std::vector<Value> values;
  values.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i)
    values.push_back(message_value(messages[i], form, final_message == i));
  return jinja::make_list(std::move(values));
}

}  // namespace reckon::chat
