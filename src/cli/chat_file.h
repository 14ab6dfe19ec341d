#pragma once
// A conversation as a file: JSON to go on from, Markdown to read.

#include <string>
#include <string_view>

#include "cli/chat_session.h"
#include "cli/exit_code.h"

namespace reckon::cli {

std::string to_json(const Conversation& conversation, std::string_view model_name);
std::string to_markdown(const Conversation& conversation, std::string_view model_name);

// kInvalidInput-like errors name the place. At most 64 MiB, 4096 messages.
Outcome<Conversation> parse_conversation(std::string_view json);
Outcome<Conversation> load_conversation(const std::string& path);
// Markdown unless the name ends in .json. Written beside and renamed, so that an old file is never half overwritten.
Outcome<void> save_conversation(const Conversation& conversation, std::string_view model_name, const std::string& path,
                                bool overwrite);

}  // namespace reckon::cli
