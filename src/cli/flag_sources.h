#pragma once
// Where the flags of a command get their values: from the command line, else from the environment (RECKON_PORT for
// --port), else from the settings file, else they are left to the command. Pure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "cli/exit_code.h"
#include "cli/settings_file.h"

namespace reckon::cli {

struct FlagValue {
  std::string flag;                 // "--port"
  std::vector<std::string> values;  // of a switch: "true"
  std::string origin;               // "command line", "RECKON_PORT", "/etc/reckon/config.toml:3"
  std::vector<std::string> hidden;  // other origins that would count if this one were not there
};

inline constexpr const char* kCommandLine = "command line";

// What the command line says: the flags that it gives, by their long names, with their values.
using GivenFlags = std::vector<FlagValue>;
using GetEnvironment = std::function<std::optional<std::string>(const std::string& name)>;

std::optional<std::string> process_environment(const std::string& name);

struct FlagSources {
  std::vector<FlagValue> flags;    // in the order of --help; those that somebody set
  std::vector<std::string> words;  // what to add to the command line, so that it says all of it
};

// "--max-tokens" -> "RECKON_MAX_TOKENS"
std::string environment_name(const std::string& flag);

// Exit::kUsage: the file names a flag that neither this command nor any other has (with the nearest), or a switch is
// something else than true or false.
Outcome<FlagSources> find_sources(const CommandInfo& program, const CommandInfo& command, const GivenFlags& given,
                                  const GetEnvironment& environment, const SettingsFile& file);

// Whether the environment and the settings file count for this command: for those that run a model for a user. A tool
// such as `info` says the same wherever it runs.
bool takes_settings(const std::string& command);

// Settings that contradict each other or that are of no use together, a line each.
std::vector<std::string> find_conflicts(const std::vector<FlagValue>& flags);

}  // namespace reckon::cli
