#pragma once
// One message of a conversation, made in one line.

#include <string>
#include <utility>

#include "reckon/chat.h"

namespace reckon::cli {

[[nodiscard]] inline Message make_message(std::string role, std::string content, std::string reasoning = {}) {
  Message message;
  message.role = std::move(role);
  message.content = std::move(content);
  message.reasoning_content = std::move(reasoning);
  return message;
}

}  // namespace reckon::cli
