#include "cli/settings_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace reckon::cli {
namespace {

constexpr std::uintmax_t kMaxBytes = 1 << 20;

std::unexpected<CommandError> wrong(const std::filesystem::path& path, int line, std::string_view what) {
  return stop(Exit::kUsage, fmt::format("{}:{}: {}", path.string(), line, what));
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// A value as the command line would have it; empty where no flag can be that.
std::optional<std::string> plain_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

std::optional<std::vector<std::string>> values_of(const toml::node& node) {
  std::vector<std::string> values;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& item : *array) {
      const auto text = plain_text(item);
      if (!text) return std::nullopt;
      values.push_back(*text);
    }
    return values;
  }
  const auto text = plain_text(node);
  if (!text) return std::nullopt;
  values.push_back(*text);
  return values;
}

Outcome<void> add_table(SettingsFile& file, const toml::table& table, const std::string& command) {
  for (const auto& [key, node] : table) {
    std::string name(key.str());
    std::ranges::replace(name, '_', '-');
    if (const toml::table* inner = node.as_table(); inner != nullptr && command.empty()) {
      if (auto added = add_table(file, *inner, name); !added) return added;
      continue;
    }
    auto values = values_of(node);
    if (!values)
      return wrong(file.path, line_of(node), fmt::format("'{}' must be text, a number, true or false", name));
    file.settings.push_back({command, std::move(name), *std::move(values), line_of(node)});
  }
  return {};
}

std::filesystem::path default_file() {
  std::vector<std::filesystem::path> places;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
    places.emplace_back(config);
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    places.push_back(std::filesystem::path(home) / ".config");
  }
  places.emplace_back("/etc");
  for (const std::filesystem::path& place : places) {
    std::error_code ignored;
    const std::filesystem::path path = place / "reckon" / "config.toml";
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

}  // namespace

Outcome<SettingsFile> parse_settings(const std::filesystem::path& path, std::string_view text) {
  SettingsFile file{path, {}};
  try {
    const toml::table table = toml::parse(text, path.string());
    if (auto added = add_table(file, table, ""); !added) return std::unexpected(added.error());
  } catch (const toml::parse_error& error) {
    return wrong(path, static_cast<int>(error.source().begin.line), error.description());
  }
  // The order of the file, not that of the alphabet.
  std::ranges::stable_sort(file.settings, {}, &FileSetting::line);
  return file;
}

Outcome<SettingsFile> read_settings(const std::string& named) {
  std::filesystem::path path = named;
  if (named.empty()) {
    const char* variable = std::getenv("RECKON_CONFIG");
    path = variable != nullptr && *variable != '\0' ? variable : default_file();
  }
  if (path.empty() || path == "none") return SettingsFile{};
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    return stop(Exit::kUsage,
                fmt::format("settings file {}: {}; --config none does without", path.string(), error.message()));
  }
  if (size > kMaxBytes) return wrong(path, 1, "a settings file has at most 1 MiB");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in) return stop(Exit::kUsage, fmt::format("settings file {} cannot be read", path.string()));
  return parse_settings(path, bytes.str());
}

}  // namespace reckon::cli
