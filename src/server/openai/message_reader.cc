#include "server/openai/message_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace reckon::server {
namespace {

using text::Json;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kRoles[] = {"system", "developer", "user", "assistant", "tool"};

// One part of a content list.
void read_part(FieldReader& message, const Json& part, std::string& content) {
  FieldReader in(part, message.path_of("content[]."));
  std::string type;
  in.string("type", 64, type);
  if (!in.failed() && (type == "text" || type == "input_text" || type == "output_text" || type == "refusal")) {
    std::optional<std::string> text;
    in.string(type == "refusal" ? "refusal" : "text", kNoLimit, text);
    if (!text && !in.failed()) in.fail("text", "want a string, got nothing");
    if (text) content += *text;
  } else if (!in.failed()) {
    const bool is_media = type.find("image") != std::string::npos || type.find("audio") != std::string::npos ||
                          type.find("video") != std::string::npos || type.find("file") != std::string::npos;
    in.fail("type", is_media
                        ? fmt::format("this model reads text only, not {}; send parts of type text", shortened(type))
                        : fmt::format("want \"text\", got \"{}\"", shortened(type)));
  }
  message.adopt(in.error());
}

void read_content(FieldReader& in, std::string_view role, std::string& content) {
  const Json* json = in.any("content");
  if (json == nullptr) {
    // An assistant may have called tools and said nothing; null is nothing as well.
    if (role != "assistant" && !in.has("content")) in.fail("content", "want a string or a list of parts, got nothing");
    return;
  }
  if (const std::string* text = json->as_string()) {
    content = *text;
  } else if (const Json::Array* parts = json->as_array()) {
    for (const Json& part : *parts) read_part(in, part, content);
  } else {
    in.fail_type("content", "a string, null or a list of parts", *json);
  }
}

ToolCall read_tool_call(FieldReader& message, const Json& json) {
  ToolCall call;
  FieldReader in(json, message.path_of("tool_calls[]."));
  in.string("id", 256, call.id);
  in.accept({"type", "index"});
  if (const Json* function = in.object("function")) {
    FieldReader body(*function, in.path_of("function."));
    body.string("name", 256, call.name);
    if (const Json* arguments = body.any("arguments")) {
      const std::string* as_text = arguments->as_string();
      call.arguments = as_text == nullptr ? text::dump_json(*arguments) : *as_text;
    }
    in.adopt(body.error());
  } else if (!in.failed()) {
    in.fail("function", "want an object with name and arguments");
  }
  message.adopt(in.error());
  return call;
}

void read_role(FieldReader& in, std::string& role) {
  const Json* json = in.any("role");
  const std::string* text = json == nullptr ? nullptr : json->as_string();
  if (text != nullptr && *text == "function") {
    role = "tool";  // the older name
  } else if (text != nullptr && std::ranges::find(kRoles, *text) != std::end(kRoles)) {
    role = *text;
  } else if (json == nullptr) {
    in.fail("role", "want system, developer, user, assistant or tool, got nothing");
  } else {
    in.fail_type("role", "system, developer, user, assistant or tool", *json);
  }
}

// The names that Ollama has for the same things.
void read_ollama_fields(FieldReader& in, Message& message) {
  const Json* thought = in.any("thinking");
  const std::string* text = thought == nullptr ? nullptr : thought->as_string();
  if (text != nullptr && message.reasoning_content.empty()) message.reasoning_content = *text;
  if (message.name.empty()) in.string("tool_name", 256, message.name);
  const Json::Array* images = in.array("images", kNoLimit);
  if (images != nullptr && !images->empty()) {
    in.fail("images", "this model reads text only, not images; leave them out", "unsupported");
  }
}

Message read_message(FieldReader& in, bool& prefix) {
  Message message;
  read_role(in, message.role);
  read_content(in, message.role, message.content);
  in.string("reasoning_content", kNoLimit, message.reasoning_content);
  if (message.reasoning_content.empty()) in.string("reasoning", kNoLimit, message.reasoning_content);
  in.string("name", 256, message.name);
  in.string("tool_call_id", 256, message.tool_call_id);
  in.boolean("prefix", prefix);
  in.accept({"refusal", "audio", "annotations", "function_call", "id", "status", "type"});
  read_ollama_fields(in, message);
  if (const Json::Array* calls = in.array("tool_calls", kMaxTools)) {
    for (const Json& call : *calls) message.tool_calls.push_back(read_tool_call(in, call));
  }
  return message;
}

}  // namespace

Conversation read_messages(FieldReader& in, std::vector<std::string>& warnings) {
  Conversation conversation;
  const Json::Array* items = in.array("messages", kMaxMessages);
  if (items == nullptr || items->empty()) {
    if (!in.failed()) in.fail("messages", "want a list of at least one message");
    return conversation;
  }
  for (std::size_t i = 0; i < items->size() && !in.failed(); ++i) {
    const std::string name = fmt::format("messages[{}]", i);
    FieldReader fields((*items)[i], name + ".");
    bool prefix = false;
    Message message = read_message(fields, prefix);
    in.adopt(fields.error());
    if (prefix && (message.role != "assistant" || i + 1 != items->size())) {
      in.fail(name + ".prefix", "only the last message, of role assistant, can be gone on with");
    }
    conversation.continue_final = prefix;
    conversation.messages.push_back(std::move(message));
    for (const std::string& unknown : fields.unknown()) {
      if (warnings.size() < FieldReader::kMaxUnknown) warnings.push_back(unknown + ": unknown, ignored");
    }
  }
  return conversation;
}

}  // namespace reckon::server
