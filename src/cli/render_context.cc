#include "cli/render_context.h"

#include <fmt/format.h>

#include "base/result.h"
#include "text/json.h"

namespace reckon::cli {
namespace {

using text::Json;

std::string string_of(const Json* json) {
  const std::string* value = json == nullptr ? nullptr : json->as_string();
  return value == nullptr ? "" : *value;
}

// A string, nothing, or OpenAI's list of parts, of which the text parts are joined.
std::string content_of(const Json* json) {
  if (json == nullptr) return "";
  const Json::Array* parts = json->as_array();
  if (parts == nullptr) return string_of(json);
  std::string content;
  for (const Json& part : *parts) content += string_of(part.find("text"));
  return content;
}

ToolCall tool_call_of(const Json& json) {
  ToolCall call;
  call.id = string_of(json.find("id"));
  const Json* function = json.find("function");
  const Json& body = function == nullptr ? json : *function;
  call.name = string_of(body.find("name"));
  if (const Json* arguments = body.find("arguments")) {
    const std::string* as_text = arguments->as_string();
    call.arguments = as_text == nullptr ? text::dump_json(*arguments) : *as_text;
  }
  return call;
}

Outcome<Message> message_of(const Json& json, std::size_t index) {
  Message message;
  message.role = string_of(json.find("role"));
  if (message.role.empty()) return stop(Exit::kFailed, fmt::format("messages[{}]: want an object with a role", index));
  message.content = content_of(json.find("content"));
  message.reasoning_content = string_of(json.find("reasoning_content"));
  message.name = string_of(json.find("name"));
  message.tool_call_id = string_of(json.find("tool_call_id"));
  if (const Json* calls = json.find("tool_calls"); calls != nullptr && calls->as_array() != nullptr) {
    for (const Json& call : *calls->as_array()) message.tool_calls.push_back(tool_call_of(call));
  }
  return message;
}

Outcome<std::vector<Message>> messages_of(const Json* json) {
  const Json::Array* list = json == nullptr ? nullptr : json->as_array();
  if (list == nullptr)
    return stop(Exit::kFailed, "the context wants \"messages\", an array of objects with role and content");
  std::vector<Message> messages;
  for (std::size_t i = 0; i < list->size(); ++i) {
    RECKON_TRY(auto message, message_of((*list)[i], i));
    messages.push_back(std::move(message));
  }
  return messages;
}

// One member of the object; what is not ours is a variable of the template.
void take_member(RenderInput& input, const text::JsonMember& member, Json::Object& extra) {
  const bool* flag = member.value.as_bool();
  if (member.name == "messages") return;
  if (member.name == "tools") {
    if (member.value.as_array() != nullptr) input.options.tools_json = text::dump_json(member.value);
  } else if (member.name == "add_generation_prompt") {
    input.options.add_generation_prompt = flag != nullptr && *flag;
  } else if (member.name == "continue_final_message") {
    input.options.continue_final_message = flag != nullptr && *flag;
  } else if (member.name == "enable_thinking" && flag != nullptr) {
    input.options.thinking = *flag ? Thinking::kOn : Thinking::kOff;
  } else if (member.name == "bos_token") {
    input.bos_token = string_of(&member.value);
  } else if (member.name == "eos_token") {
    input.eos_token = string_of(&member.value);
  } else {
    extra.push_back(member);
  }
}

}  // namespace

Outcome<RenderInput> parse_render_context(std::string_view json) {
  CLI_TRY(const auto root, Stage::kWork, text::parse_json(json));
  RenderInput input;
  input.options.add_generation_prompt = false;
  const Json::Object* object = root.as_object();
  RECKON_TRY(input.messages, messages_of(object == nullptr ? &root : root.find("messages")));
  if (object == nullptr) return input;
  Json extra{Json::Object()};
  for (const text::JsonMember& member : *object) take_member(input, member, std::get<Json::Object>(extra.value));
  if (!extra.as_object()->empty()) input.options.extra_json = text::dump_json(extra);
  return input;
}

}  // namespace reckon::cli
