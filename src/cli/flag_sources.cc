#include "cli/flag_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "cli/nearest.h"

namespace reckon::cli {
namespace {

std::string long_name(const FlagInfo& flag) {
  for (const std::string& name : flag.names) {
    if (name.starts_with("--")) return name;
  }
  return {};
}

// Not settings: what they ask for is no way of working.
bool is_setting(const FlagInfo& flag) {
  static constexpr std::array<std::string_view, 4> kNot = {"--help", "--config", "--file", "--version"};
  const std::string name = long_name(flag);
  return !name.empty() && std::ranges::find(kNot, name) == kNot.end();
}

// Empty: right.
std::string switch_problem(const std::vector<std::string>& values) {
  if (values.size() == 1 && (values[0] == "true" || values[0] == "false")) return {};
  return "is a switch: true or false";
}

Outcome<void> check_names(const CommandInfo& program, const SettingsFile& file) {
  for (const FileSetting& setting : file.settings) {
    std::vector<std::string> names;
    bool is_command = setting.command.empty();
    for (const CommandInfo& command : program.commands) {
      if (!takes_settings(command.name)) continue;
      is_command = is_command || command.name == setting.command;
      if (!setting.command.empty() && command.name != setting.command) continue;
      for (const FlagInfo& flag : command.flags) {
        if (is_setting(flag)) names.push_back(long_name(flag).substr(2));
      }
    }
    const std::string place = fmt::format("{}:{}", file.path.string(), setting.line);
    if (!is_command) {
      return stop(Exit::kUsage, fmt::format("{}: [{}] is no command that takes settings", place, setting.command));
    }
    if (std::ranges::find(names, setting.name) != names.end()) continue;
    const std::string near = nearest(setting.name, names);
    return stop(Exit::kUsage, fmt::format("{}: there is no setting '{}'{}", place, setting.name,
                                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return {};
}

// All that offer a value, the strongest first.
std::vector<FlagValue> offers(const FlagInfo& flag, const std::string& command, const GivenFlags& given,
                              const GetEnvironment& environment, const SettingsFile& file) {
  const std::string name = long_name(flag);
  std::vector<FlagValue> found;
  for (const FlagValue& value : given) {
    if (value.flag == name) found.push_back(value);
  }
  const std::string variable = environment_name(name);
  if (const auto text = environment(variable); text && !text->empty()) found.push_back({name, {*text}, variable, {}});
  for (const bool of_command : {true, false}) {
    for (const FileSetting& setting : file.settings) {
      if ("--" + setting.name != name || setting.command != (of_command ? command : "")) continue;
      found.push_back({name, setting.values, fmt::format("{}:{}", file.path.string(), setting.line), {}});
    }
  }
  return found;
}

void add_words(std::vector<std::string>& words, const FlagInfo& flag, const FlagValue& value) {
  if (flag.value_name.empty()) {
    if (value.values.front() == "true") words.push_back(value.flag);
    return;
  }
  for (const std::string& text : value.values) words.push_back(value.flag + "=" + text);
}

const FlagValue* find_value(const std::vector<FlagValue>& flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &FlagValue::flag);
  return found == flags.end() ? nullptr : &*found;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "[::1]";
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string environment_name(const std::string& flag) {
  std::string name = "RECKON_";
  for (const char c : flag.substr(2)) {
    name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

bool takes_settings(const std::string& command) {
  static constexpr std::array<std::string_view, 4> kCommands = {"run", "chat", "serve", "bench"};
  return std::ranges::find(kCommands, command) != kCommands.end();
}

Outcome<FlagSources> find_sources(const CommandInfo& program, const CommandInfo& command, const GivenFlags& given,
                                  const GetEnvironment& environment, const SettingsFile& file) {
  if (auto checked = check_names(program, file); !checked) return std::unexpected(checked.error());
  FlagSources sources;
  for (const FlagInfo& flag : command.flags) {
    if (!is_setting(flag)) continue;
    std::vector<FlagValue> found = offers(flag, command.name, given, environment, file);
    if (found.empty()) continue;
    FlagValue value = std::move(found.front());
    for (std::size_t i = 1; i < found.size(); ++i) value.hidden.push_back(found[i].origin);
    if (value.origin != kCommandLine) {
      if (const std::string problem = switch_problem(value.values); flag.value_name.empty() && !problem.empty()) {
        return stop(Exit::kUsage, fmt::format("{}: {} {}", value.origin, value.flag.substr(2), problem));
      }
      add_words(sources.words, flag, value);
    }
    sources.flags.push_back(std::move(value));
  }
  return sources;
}

std::vector<std::string> find_conflicts(const std::vector<FlagValue>& flags) {
  std::vector<std::string> lines;
  const auto both = [&](std::string_view a, std::string_view b, std::string_view what) {
    const FlagValue* first = find_value(flags, a);
    const FlagValue* second = find_value(flags, b);
    if (first == nullptr || second == nullptr) return;
    lines.push_back(fmt::format("{} ({}) and {} ({}): {}", a, first->origin, b, second->origin, what));
  };
  const auto needs = [&](std::string_view a, std::string_view b) {
    const FlagValue* first = find_value(flags, a);
    if (first == nullptr || find_value(flags, b) != nullptr) return;
    lines.push_back(fmt::format("{} ({}) needs {} as well", a, first->origin, b));
  };
  both("--listen", "--host", "--listen is used, --host is not");
  both("--listen", "--port", "--listen is used, --port is not");
  both("--insecure-no-key", "--api-key-file", "keys are asked for; --insecure-no-key does nothing");
  needs("--tls-cert", "--tls-key");
  needs("--tls-key", "--tls-cert");
  if (const FlagValue* think = find_value(flags, "--think"); think != nullptr && think->values.front() == "off") {
    both("--think", "--think-budget", "without a thought there is no budget to keep");
  }
  const FlagValue* host = find_value(flags, "--host");
  if (host != nullptr && !is_loopback(host->values.front()) && find_value(flags, "--api-key-file") == nullptr &&
      find_value(flags, "--insecure-no-key") == nullptr) {
    lines.push_back(fmt::format("--host {} ({}) can be reached by others: --api-key-file is needed",
                                host->values.front(), host->origin));
  }
  for (const FlagValue& flag : flags) {
    for (const std::string& hidden : flag.hidden) {
      lines.push_back(fmt::format("{}: {} hides {}", flag.flag, flag.origin, hidden));
    }
  }
  return lines;
}

}  // namespace reckon::cli
