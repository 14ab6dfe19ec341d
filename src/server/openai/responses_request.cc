#include "server/openai/responses_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/result.h"

namespace reckon::server {
namespace {

using text::Json;

Json string_json(std::string value) { return Json{std::move(value)}; }

void put(Json::Object& object, std::string_view name, Json value) {
  object.push_back({std::string(name), std::move(value)});
}

void copy(const Json& from, std::string_view name, Json::Object& to, std::string_view new_name) {
  if (const Json* value = from.find(name); value != nullptr && !value->is_null()) put(to, new_name, *value);
}

std::string type_of(const Json& item) {
  const Json* type = item.find("type");
  const std::string* name = type == nullptr ? nullptr : type->as_string();
  return name == nullptr ? "" : *name;
}

// {"type": "function_call", "call_id", "name", "arguments"} of an earlier answer.
Json call_message(const Json& item) {
  Json::Object function;
  copy(item, "name", function, "name");
  copy(item, "arguments", function, "arguments");
  Json::Object call;
  copy(item, "call_id", call, "id");
  put(call, "type", string_json("function"));
  put(call, "function", Json{std::move(function)});
  Json::Object message;
  put(message, "role", string_json("assistant"));
  put(message, "tool_calls", Json{Json::Array{Json{std::move(call)}}});
  return Json{std::move(message)};
}

Json call_output_message(const Json& item) {
  Json::Object message;
  put(message, "role", string_json("tool"));
  copy(item, "call_id", message, "tool_call_id");
  copy(item, "output", message, "content");
  return Json{std::move(message)};
}

Reply<void> add_item(const Json& item, Json::Array& messages) {
  const std::string type = type_of(item);
  if (type == "function_call") {
    messages.push_back(call_message(item));
  } else if (type == "function_call_output") {
    messages.push_back(call_output_message(item));
  } else if (type.empty() || type == "message") {
    messages.push_back(item);
  } else if (type != "reasoning") {  // old thoughts are dropped, as templates do
    return refuse("input", fmt::format("input: items of type \"{}\" are not known here", shortened(type)));
  }
  return {};
}

Reply<Json> messages_of(const Json& body) {
  Json::Array messages;
  const auto say = [&](std::string_view role, const Json& content) {
    Json::Object message;
    put(message, "role", string_json(std::string(role)));
    put(message, "content", content);
    messages.push_back(Json{std::move(message)});
  };
  if (const Json* instructions = body.find("instructions"); instructions != nullptr && !instructions->is_null()) {
    say("system", *instructions);
  }
  const Json* input = body.find("input");
  if (input == nullptr || (input->as_string() == nullptr && input->as_array() == nullptr)) {
    return refuse("input", "input: want text or a list of items");
  }
  if (input->as_string() != nullptr) say("user", *input);
  if (const Json::Array* items = input->as_array()) {
    for (const Json& item : *items) RECKON_TRY_VOID(add_item(item, messages));
  }
  return Json{std::move(messages)};
}

// {"type": "function", "name", "parameters"} becomes {"type": "function", "function": {...}}.
Json nested_tools(const Json& tools) {
  Json::Array nested;
  const Json::Array* items = tools.as_array();
  if (items == nullptr) return tools;
  for (const Json& item : *items) {
    if (item.find("function") != nullptr || type_of(item) != "function") {
      nested.push_back(item);
      continue;
    }
    Json::Object function;
    for (const char* name : {"name", "description", "parameters", "strict"}) copy(item, name, function, name);
    Json::Object tool;
    put(tool, "type", string_json("function"));
    put(tool, "function", Json{std::move(function)});
    nested.push_back(Json{std::move(tool)});
  }
  return Json{std::move(nested)};
}

// text.format {"type": "json_schema", "name", "schema"} becomes response_format.
void add_format(const Json& body, Json::Object& chat) {
  const Json* text = body.find("text");
  const Json* format = text == nullptr ? nullptr : text->find("format");
  if (format != nullptr && !format->is_null()) put(chat, "response_format", *format);
}

constexpr std::string_view kOwn[] = {
    "input",         "instructions", "tools",      "text",           "max_output_tokens", "previous_response_id",
    "truncation",    "include",      "background", "max_tool_calls", "conversation",      "prompt",
    "stream_options"};

}  // namespace

Reply<ChatRequest> parse_responses_request(const Json& body) {
  const Json::Object* members = body.as_object();
  if (members == nullptr) return refuse("", fmt::format("the body: want a JSON object, got {}", shown(body)));
  for (const char* name : {"previous_response_id", "conversation", "prompt"}) {
    const Json* value = body.find(name);
    if (value == nullptr || value->is_null()) continue;
    return refuse(name, fmt::format("{}: nothing is stored here; send the whole conversation as input", name),
                  "unsupported");
  }
  Json::Object chat;
  for (const text::JsonMember& member : *members) {
    if (std::ranges::find(kOwn, member.name) == std::end(kOwn)) chat.push_back(member);
  }
  RECKON_TRY(Json messages, messages_of(body));
  put(chat, "messages", std::move(messages));
  copy(body, "max_output_tokens", chat, "max_completion_tokens");
  if (const Json* tools = body.find("tools")) put(chat, "tools", nested_tools(*tools));
  add_format(body, chat);
  RECKON_TRY(ChatRequest request, parse_chat_request(Json{std::move(chat)}));
  if (request.generation.n != 1) return refuse("n", "n: a response has one answer");
  return request;
}

}  // namespace reckon::server
