#pragma once
// The settings file: TOML whose keys are the long names of flags. Keys at the top count for every command that has the
// flag, those of a table [serve], [run] ... for that command alone and before the others.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace reckon::cli {

struct FileSetting {
  std::string command;              // the table's name; empty: for every command
  std::string name;                 // "max-tokens", whether the file writes it with '-' or '_'
  std::vector<std::string> values;  // one, or the items of an array; "true" or "false" for a switch
  int line = 0;
};

struct SettingsFile {
  std::filesystem::path path;  // empty: there is none
  std::vector<FileSetting> settings;
};

// The file that --config or RECKON_CONFIG names ("none": no file), else ~/.config/reckon/config.toml, else
// /etc/reckon/config.toml, where those exist. Exit::kUsage for a named file that is not there, and for one that is no
// TOML or holds what no flag can be; the message names file and line.
Outcome<SettingsFile> read_settings(const std::string& named);

// The same of text; `path` is for messages.
Outcome<SettingsFile> parse_settings(const std::filesystem::path& path, std::string_view text);

}  // namespace reckon::cli
