#pragma once
// Where /proc and /sys are read from. Tests make the files of other machines in a folder and read those instead.
// Everything here is best effort: a file that is missing or odd is an empty optional, never an error.
// Thread: any, it is immutable.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::sys {

class SysRoot {
 public:
  SysRoot() = default;  // this machine
  explicit SysRoot(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool is_this_machine() const { return folder_ == "/"; }

  // `path` starts with "/proc" or "/sys". At most 1 MiB of the file.
  [[nodiscard]] std::optional<std::string> read(std::string_view path) const;
  // The first line, without its newline.
  [[nodiscard]] std::optional<std::string> read_line(std::string_view path) const;
  [[nodiscard]] std::optional<std::int64_t> read_int(std::string_view path) const;
  // A list of CPUs or nodes, e.g. "0-3,8".
  [[nodiscard]] std::optional<std::vector<int>> read_list(std::string_view path) const;

 private:
  std::filesystem::path folder_ = "/";
};

// Text of /proc and /sys. Empty where the text is anything else.
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<std::vector<int>> parse_list(std::string_view text);     // "0-3,8": sorted, at most 65536 numbers
std::optional<std::uint64_t> parse_cache_size(std::string_view text);  // "32K", "1M", "4096"

// The value of "key:   value" or "key value" in a file of such lines, e.g. ("VmRSS", "  1234 kB").
std::optional<std::string_view> find_value(std::string_view file, std::string_view key);
// The same in bytes, where the value is a number followed by kB or nothing.
std::optional<std::uint64_t> find_bytes(std::string_view file, std::string_view key);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

}  // namespace reckon::sys
