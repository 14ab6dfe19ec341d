#include "cli/chat_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cli/chat_file.h"
#include "cli/display_text.h"
#include "cli/nearest.h"
#include "cli/prompt_input.h"

namespace reckon::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// The first word, and what follows it.
std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  const auto end = std::min(text.find_first_of(" \t\n"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

ChatSession::Reply say(std::string text) { return {ChatSession::Reply::Kind::kSay, std::move(text), false}; }
ChatSession::Reply refuse(std::string text) { return {ChatSession::Reply::Kind::kSay, std::move(text), true}; }

// ~/ at the start, as a shell would read it.
std::string expanded(std::string_view path) {
  const char* home = std::getenv("HOME");
  if (path.starts_with("~/") && home != nullptr) return home + std::string(path.substr(1));
  return std::string(path);
}

}  // namespace

struct ChatSession::CommandEntry {
  const char* name;
  const char* arguments;
  const char* help;
  Reply (ChatSession::*run)(std::string_view rest);

  static constexpr int kCount = 12;
  static const CommandEntry kAll[kCount];
};

const ChatSession::CommandEntry ChatSession::CommandEntry::kAll[] = {
    {"/help", "", "this list", &ChatSession::help},
    {"/clear", "", "forget the conversation and start afresh", &ChatSession::clear},
    {"/regen", "", "answer the last message once more", &ChatSession::regenerate},
    {"/set", "NAME VALUE", "change how answers are made; alone: show all", &ChatSession::set},
    {"/think", "on|off|auto", "whether the model thinks first", &ChatSession::think},
    {"/system", "TEXT", "what the model is told before everything; empty: nothing", &ChatSession::set_system},
    {"/read", "FILE [TEXT]", "send the text of a file, with a question before it", &ChatSession::read},
    {"/save", "FILE", "write the conversation: .json to load again, else Markdown", &ChatSession::save},
    {"/save!", "FILE", "the same over a file that exists", &ChatSession::save_over},
    {"/load", "FILE", "go on with a conversation saved as .json", &ChatSession::load},
    {"/exit", "", "leave (also Ctrl-D)", &ChatSession::exit},
    {"/quit", "", "leave", &ChatSession::exit},
};

const ChatSession::CommandEntry* ChatSession::find_command(std::string_view name) {
  const auto found = std::ranges::find_if(CommandEntry::kAll, [&](const CommandEntry& c) { return name == c.name; });
  return found == std::end(CommandEntry::kAll) ? nullptr : found;
}

ChatSession::ChatSession(std::string model_name, GenerationSettings settings, std::string system)
    : model_name_(std::move(model_name)), settings_(std::move(settings)) {
  conversation_.system = std::move(system);
}

ChatSession::Reply ChatSession::handle(const std::string& input) {
  const std::string_view text = trimmed(input);
  if (text.empty()) return say("");
  if (!text.starts_with('/')) return ask(input);
  if (text.starts_with("//")) return ask(std::string(text.substr(1)));
  const auto [name, rest] = first_word(text);
  if (const CommandEntry* command = find_command(name)) return (this->*command->run)(rest);
  std::vector<std::string> names;
  for (const CommandEntry& command : CommandEntry::kAll) names.emplace_back(command.name);
  const std::string near = nearest(name, names);
  return refuse(fmt::format("no command {}{}; /help lists them, // sends a message that starts with /",
                            cut_to_width(one_line(name), 40), near.empty() ? "" : ", did you mean " + near + "?"));
}

ChatSession::Reply ChatSession::ask(std::string text) {
  auto& messages = conversation_.messages;
  // A question that got no answer makes room: templates want the roles in turn.
  if (!messages.empty() && messages.back().role == "user") messages.pop_back();
  messages.push_back(make_message("user", std::move(text)));
  return {Reply::Kind::kAsk, "", false};
}

void ChatSession::accept(const Answer& answer) {
  if (answer.content.empty()) return;
  conversation_.messages.push_back(make_message("assistant", answer.content, answer.reasoning));
}

std::vector<Message> ChatSession::messages_to_send() const {
  std::vector<Message> all;
  if (!conversation_.system.empty()) all.push_back(make_message("system", conversation_.system));
  all.insert(all.end(), conversation_.messages.begin(), conversation_.messages.end());
  return all;
}

ChatSession::Reply ChatSession::clear(std::string_view) {
  conversation_.messages.clear();
  return say("forgotten; a new conversation");
}

ChatSession::Reply ChatSession::regenerate(std::string_view) {
  auto& messages = conversation_.messages;
  while (!messages.empty() && messages.back().role != "user") messages.pop_back();
  if (messages.empty()) return refuse("nothing to answer yet");
  return {Reply::Kind::kAsk, "", false};
}

ChatSession::Reply ChatSession::set(std::string_view rest) {
  if (rest.empty()) {
    std::string text;
    for (const Setting& setting : all_settings()) {
      const std::string value = setting.show(settings_);
      text += fmt::format("  {}{}{}\n", pad_right(setting.name, 20), pad_right(value.empty() ? "-" : value, 10),
                          setting.help);
    }
    return say(text + "  (-: as the model's authors advise; /set NAME default goes back to that)");
  }
  const auto [name, value] = first_word(rest);
  const Setting* setting = find_setting(name);
  if (setting == nullptr) {
    std::vector<std::string> names;
    for (const Setting& s : all_settings()) names.emplace_back(s.name);
    const std::string near = nearest(name, names);
    return refuse(fmt::format("no setting {}{}; /set lists them", cut_to_width(one_line(name), 40),
                              near.empty() ? "" : ", did you mean " + near + "?"));
  }
  if (value.empty()) {
    const std::string now = setting->show(settings_);
    return say(fmt::format("{} is {} ({}; {})", setting->name, now.empty() ? "not set" : now, setting->value_name,
                           setting->help));
  }
  if (value == "default") {
    setting->reset(settings_);
  } else if (const auto problem = setting->set(settings_, value)) {
    return refuse(fmt::format("{}: {}", setting->name, *problem));
  }
  const std::string now = setting->show(settings_);
  return say(fmt::format("{} {}", setting->name, now.empty() ? "as the model's authors advise" : now));
}

ChatSession::Reply ChatSession::think(std::string_view rest) { return set("think " + std::string(rest)); }

ChatSession::Reply ChatSession::set_system(std::string_view rest) {
  conversation_.system = rest;
  return say(rest.empty() ? "no system message" : "system message set; it holds from the next message on");
}

ChatSession::Reply ChatSession::save(std::string_view rest) { return save_to(rest, false); }
ChatSession::Reply ChatSession::save_over(std::string_view rest) { return save_to(rest, true); }

ChatSession::Reply ChatSession::save_to(std::string_view path, bool overwrite) {
  if (path.empty()) return refuse("give a file name, e.g. /save talk.json");
  if (conversation_.messages.empty()) return refuse("nothing to save yet");
  const std::string file = expanded(path);
  if (const auto saved = save_conversation(conversation_, model_name_, file, overwrite); !saved) {
    return refuse(saved.error().message);
  }
  return say(fmt::format("saved {} messages to {}", conversation_.messages.size(), one_line(file)));
}

ChatSession::Reply ChatSession::load(std::string_view rest) {
  if (rest.empty()) return refuse("give a file name, e.g. /load talk.json");
  auto loaded = load_conversation(expanded(rest));
  if (!loaded) return refuse(loaded.error().message);
  conversation_ = std::move(*loaded);
  return say(fmt::format("{} messages loaded; the next message goes on from there", conversation_.messages.size()));
}

ChatSession::Reply ChatSession::read(std::string_view rest) {
  const auto [file, question] = first_word(rest);
  if (file.empty()) return refuse("give a file name, e.g. /read notes.txt What is this about?");
  const auto text = read_file(expanded(file), kMaxPromptBytes);
  if (!text) return refuse(text.error().message);
  return ask(question.empty() ? *text : fmt::format("{}\n\n{}", question, *text));
}

ChatSession::Reply ChatSession::help(std::string_view) {
  std::string text;
  for (const CommandEntry& command : CommandEntry::kAll) {
    text += fmt::format("  {}{}\n", pad_right(fmt::format("{} {}", command.name, command.arguments), 20), command.help);
  }
  return say(text +
             "  A backslash at the end of a line goes on in the next; \"\"\" opens and closes a longer text.\n"
             "  Ctrl-C stops an answer, Ctrl-D leaves, Up and Down bring back what you typed.");
}

ChatSession::Reply ChatSession::exit(std::string_view) { return {Reply::Kind::kExit, "", false}; }

std::vector<std::string> ChatSession::completions(std::string_view text) {
  std::vector<std::string> found;
  if (text.starts_with("/set ")) {
    for (const Setting& setting : all_settings()) {
      const std::string line = fmt::format("/set {} ", setting.name);
      if (line.starts_with(text)) found.push_back(line);
    }
    return found;
  }
  if (!text.starts_with('/')) return found;
  for (const CommandEntry& command : CommandEntry::kAll) {
    const std::string line = fmt::format("{}{}", command.name, *command.arguments == '\0' ? "" : " ");
    if (line.starts_with(text)) found.push_back(line);
  }
  return found;
}

}  // namespace reckon::cli
