#include "sys/sys_root.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace reckon::sys {
namespace {
constexpr std::size_t kMaxFile = std::size_t{1} << 20;
constexpr int kMaxListed = 65536;
}  // namespace

std::optional<std::string> SysRoot::read(std::string_view path) const {
  while (path.starts_with('/')) path.remove_prefix(1);
  std::ifstream file(folder_ / path, std::ios::binary);
  if (!file) return std::nullopt;
  // Files of /proc and /sys have no size to ask for: read until they end.
  std::string text;
  char chunk[4096];
  while (text.size() < kMaxFile) {
    file.read(chunk, sizeof chunk);
    const auto n_read = static_cast<std::size_t>(file.gcount());
    if (n_read == 0) break;
    text.append(chunk, n_read);
  }
  if (file.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> SysRoot::read_line(std::string_view path) const {
  auto text = read(path);
  if (text) text->resize(std::min(text->find('\n'), text->size()));
  return text;
}

std::optional<std::int64_t> SysRoot::read_int(std::string_view path) const {
  const auto line = read_line(path);
  return line ? parse_int(*line) : std::nullopt;
}

std::optional<std::vector<int>> SysRoot::read_list(std::string_view path) const {
  const auto line = read_line(path);
  return line ? parse_list(*line) : std::nullopt;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> parse_list(std::string_view text) {
  std::vector<int> numbers;
  text = trim(text);
  if (text.empty()) return numbers;
  for (const std::string_view range : split(text, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = parse_int(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxListed) return std::nullopt;
    if (numbers.size() > kMaxListed) return std::nullopt;
    for (std::int64_t i = *first; i <= *last; ++i) numbers.push_back(static_cast<int>(i));
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

std::optional<std::uint64_t> parse_cache_size(std::string_view text) {
  text = trim(text);
  int shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_int(text);
  if (!value || *value < 0 || *value > (std::int64_t{1} << 40)) return std::nullopt;
  return static_cast<std::uint64_t>(*value) << shift;
}

std::optional<std::string_view> find_value(std::string_view file, std::string_view key) {
  for (std::string_view line : split(file, '\n')) {
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.starts_with(':') || line.starts_with(' ')) return trim(line.substr(1));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_bytes(std::string_view file, std::string_view key) {
  auto text = find_value(file, key);
  if (!text) return std::nullopt;
  int shift = 0;
  if (text->ends_with(" kB")) {
    text->remove_suffix(3);
    shift = 10;
  }
  const auto value = parse_int(*text);
  if (!value || *value < 0 || *value > (std::int64_t{1} << 52)) return std::nullopt;
  return static_cast<std::uint64_t>(*value) << shift;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace reckon::sys
