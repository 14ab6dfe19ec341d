#pragma once
// The messages of a conversation in OpenAI's form, or in Ollama's (thinking, tool_name, arguments as objects). Content
// is text: a string, null, or a list of text parts.

#include <vector>

#include "reckon/chat.h"
#include "server/field_reader.h"

namespace reckon::server {

struct Conversation {
  std::vector<Message> messages;
  bool continue_final = false;  // the last message is the assistant's and has "prefix": true (DeepSeek's form)
};

// Reads the field "messages"; an error goes into `in`. Fields of messages nobody knows go into `warnings`.
[[nodiscard]] Conversation read_messages(FieldReader& in, std::vector<std::string>& warnings);

inline constexpr std::size_t kMaxMessages = 4096;
inline constexpr std::size_t kMaxTools = 128;

}  // namespace reckon::server
