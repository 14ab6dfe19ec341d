#pragma once
// Commands and flags as plain data, read from the parser: help, shell completion and the test of the man page all use
// it, so none of them can drift from what is parsed.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace reckon::cli {

struct FlagInfo {
  std::vector<std::string> names;  // "-m", "--model"; of a positional its name
  std::string value_name;          // "FILE"; empty: a switch
  std::string help;
  std::string group;
  [[nodiscard]] bool takes_path() const { return value_name == "FILE" || value_name == "PATH"; }
  [[nodiscard]] std::vector<std::string> choices() const;  // of "auto|on|off"
};

struct CommandInfo {
  std::string name;
  std::string about;
  std::string examples;  // lines below the flags
  std::vector<FlagInfo> flags;
  std::vector<FlagInfo> positionals;
  std::vector<CommandInfo> commands;
};

CommandInfo describe(const CLI::App& app);

// The text of --help, wrapped to `width` columns.
std::string help_text(const CommandInfo& command, const std::string& full_name, int width);

}  // namespace reckon::cli
