#include "cli/chat_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/result.h"
#include "cli/prompt_input.h"
#include "cli/terminal.h"
#include "text/json.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

constexpr std::size_t kMaxFileBytes = 64u << 20;
constexpr std::size_t kMaxMessages = 4096;

// Text as a quote, so that "## User" inside a thought makes no heading of ours.
std::string block_quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

std::string string_member(const text::Json& object, std::string_view name) {
  const text::Json* member = object.find(name);
  const std::string* value = member == nullptr ? nullptr : member->as_string();
  return value == nullptr ? "" : *value;
}

Outcome<Message> parse_message(const text::Json& json, std::size_t index) {
  Message message;
  message.role = string_member(json, "role");
  message.content = string_member(json, "content");
  message.reasoning_content = string_member(json, "reasoning_content");
  if (message.role != "user" && message.role != "assistant" && message.role != "system") {
    return stop(Exit::kFailed, fmt::format("message {}: want the role user, assistant or system", index + 1));
  }
  return message;
}

Outcome<void> write_new(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return stop(Exit::kFailed, fmt::format("{}: {}", path, std::strerror(errno)));
  Output output(fd);
  output.write(text);
  const bool synced = ::fsync(fd) == 0 || errno == EINVAL;
  const int problem = output.error_number() != 0 ? output.error_number() : synced ? 0 : errno;
  ::close(fd);
  if (problem != 0) return stop(Exit::kFailed, fmt::format("{}: {}", path, std::strerror(problem)));
  return {};
}

}  // namespace

std::string to_json(const Conversation& conversation, std::string_view model_name) {
  std::string messages;
  const auto add = [&](const text::JsonObject& message) {
    messages += (messages.empty() ? "\n  " : ",\n  ") + message.str();
  };
  if (!conversation.system.empty()) add(text::JsonObject().text("role", "system").text("content", conversation.system));
  for (const Message& message : conversation.messages) {
    text::JsonObject object;
    object.text("role", message.role).text("content", message.content);
    if (!message.reasoning_content.empty()) object.text("reasoning_content", message.reasoning_content);
    add(object);
  }
  return text::JsonObject().text("model", model_name).raw("messages", "[" + messages + "\n]").str() + "\n";
}

std::string to_markdown(const Conversation& conversation, std::string_view model_name) {
  std::string text = fmt::format("# Conversation with {}\n", model_name);
  if (!conversation.system.empty()) text += fmt::format("\n## System\n\n{}\n", conversation.system);
  for (const Message& message : conversation.messages) {
    text += fmt::format("\n## {}\n\n", message.role == "user" ? "User" : "Assistant");
    if (!message.reasoning_content.empty()) text += block_quote(message.reasoning_content) + "\n\n";
    text += message.content + "\n";
  }
  return text;
}

Outcome<Conversation> parse_conversation(std::string_view json) {
  CLI_TRY(const auto root, Stage::kWork, text::parse_json(json));
  const text::Json* messages = root.find("messages");
  const text::Json::Array* list = messages == nullptr ? root.as_array() : messages->as_array();
  if (list == nullptr) {
    return stop(Exit::kFailed, "no conversation: want an object with \"messages\", as /save FILE.json writes it");
  }
  if (list->size() > kMaxMessages) {
    return stop(Exit::kLimit, fmt::format("{} messages; at most {} can be loaded", list->size(), kMaxMessages));
  }
  Conversation conversation;
  for (std::size_t i = 0; i < list->size(); ++i) {
    RECKON_TRY(auto message, parse_message((*list)[i], i));
    if (message.role == "system") {
      conversation.system = std::move(message.content);
    } else {
      conversation.messages.push_back(std::move(message));
    }
  }
  return conversation;
}

Outcome<Conversation> load_conversation(const std::string& path) {
  RECKON_TRY(const auto text, read_file(path, kMaxFileBytes));
  auto conversation = parse_conversation(text);
  if (!conversation) return stop(conversation.error().exit, fmt::format("{}: {}", path, conversation.error().message));
  return conversation;
}

Outcome<void> save_conversation(const Conversation& conversation, std::string_view model_name, const std::string& path,
                                bool overwrite) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!overwrite && fs::exists(path, error)) {
    return stop(Exit::kFailed, fmt::format("{} exists; /save! writes over it", path));
  }
  const bool as_json = fs::path(path).extension() == ".json";
  const std::string fresh = path + ".new";
  if (auto written =
          write_new(fresh, as_json ? to_json(conversation, model_name) : to_markdown(conversation, model_name));
      !written) {
    fs::remove(fresh, error);
    return written;
  }
  fs::rename(fresh, path, error);
  if (error) return stop(Exit::kFailed, fmt::format("{}: {}", path, error.message()));
  return {};
}

}  // namespace reckon::cli
