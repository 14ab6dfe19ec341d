#include "cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

FlagInfo describe_option(const CLI::Option& option) {
  FlagInfo flag;
  if (option.get_positional()) {
    flag.names.push_back(option.get_name());
  } else {
    for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) flag.value_name = option.get_type_name();
  flag.help = option.get_description();
  flag.group = option.get_group();
  return flag;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// A name column and its text; a name too long for the column stands on a line of its own.
std::string entry(const std::string& name, const std::string& help, int width) {
  constexpr int kColumn = 28;
  std::string line = "  " + name;
  if (display_width(line) + 2 > kColumn) {
    line += "\n" + std::string(kColumn, ' ');
  } else {
    line = pad_right(line, kColumn);
  }
  return line + wrap_words(help, kColumn, width) + "\n";
}

std::string usage_line(const CommandInfo& command, const std::string& full_name) {
  std::string usage = "Usage: " + full_name;
  if (!command.commands.empty()) usage += " COMMAND";
  usage += " [FLAGS]";
  for (const FlagInfo& positional : command.positionals) usage += " [" + positional.names.front() + "]";
  return usage + "\n";
}

}  // namespace

std::vector<std::string> FlagInfo::choices() const {
  std::vector<std::string> found;
  if (value_name.find('|') == std::string::npos) return found;
  std::size_t start = 0;
  while (start <= value_name.size()) {
    const std::size_t end = std::min(value_name.find('|', start), value_name.size());
    found.push_back(value_name.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

CommandInfo describe(const CLI::App& app) {
  CommandInfo command;
  command.name = app.get_name();
  command.about = app.get_description();
  command.examples = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.positionals : command.flags).push_back(describe_option(*option));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(describe(*child));
  }
  return command;
}

std::string help_text(const CommandInfo& command, const std::string& full_name, int width) {
  width = std::clamp(width, 60, 100);
  std::string text = wrap_words(command.about, 0, width) + "\n\n" + usage_line(command, full_name);
  if (!command.commands.empty()) {
    text += "\nCommands:\n";
    for (const CommandInfo& child : command.commands) text += entry(child.name, child.about, width);
  }
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const FlagInfo& positional : command.positionals)
      text += entry(positional.names.front(), positional.help, width);
  }
  std::vector<std::string> groups;
  for (const FlagInfo& flag : command.flags) {
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  }
  for (const std::string& group : groups) {
    text += "\n" + group + ":\n";
    for (const FlagInfo& flag : command.flags) {
      if (flag.group != group) continue;
      const std::string value = flag.value_name.empty() ? "" : " " + flag.value_name;
      text += entry(joined(flag.names) + value, flag.help, width);
    }
  }
  if (!command.examples.empty()) text += "\n" + command.examples;
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace reckon::cli
