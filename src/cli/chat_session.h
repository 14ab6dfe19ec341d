#pragma once
// A conversation and the commands that change it. No terminal and no engine in here.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/generation.h"
#include "cli/generation_settings.h"
#include "reckon/chat.h"

namespace reckon::cli {

struct Conversation {
  std::string system;
  std::vector<Message> messages;  // user and assistant in turn; the last may be a user's, not answered yet
};

class ChatSession {
 public:
  struct Reply {
    enum class Kind { kSay, kAsk, kExit } kind = Kind::kSay;
    std::string text;  // kSay: what to show, may be empty
    bool is_error = false;
  };

  ChatSession(std::string model_name, GenerationSettings settings, std::string system);

  // A message of the person, or a command (/help lists them). kAsk: answer messages_to_send(), then call accept().
  Reply handle(const std::string& input);
  // What came, also where Ctrl-C ended it. A user message without an answer waits for /regen.
  void accept(const Answer& answer);
  [[nodiscard]] std::vector<Message> messages_to_send() const;
  [[nodiscard]] const GenerationSettings& settings() const { return settings_; }
  [[nodiscard]] const Conversation& conversation() const { return conversation_; }

  // Whole lines that the start of a command may become, for Tab.
  [[nodiscard]] static std::vector<std::string> completions(std::string_view text);

 private:
  Reply ask(std::string text);
  Reply clear(std::string_view rest);
  Reply regenerate(std::string_view rest);
  Reply set(std::string_view rest);
  Reply think(std::string_view rest);
  Reply set_system(std::string_view rest);
  Reply save(std::string_view rest);
  Reply save_over(std::string_view rest);
  Reply load(std::string_view rest);
  Reply read(std::string_view rest);
  Reply help(std::string_view rest);
  Reply exit(std::string_view rest);
  Reply save_to(std::string_view path, bool overwrite);
  struct CommandEntry;
  static const CommandEntry* find_command(std::string_view name);

  std::string model_name_;
  GenerationSettings settings_;
  Conversation conversation_;
};

}  // namespace reckon::cli
