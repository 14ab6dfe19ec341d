#include "cli/display_text.h"

#include <utf8proc.h>

#include <algorithm>

namespace reckon::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodePoint {
  utf8proc_int32_t value;  // -1: an invalid byte
  std::size_t size;
};

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const std::size_t left = std::min<std::size_t>(text.size() - at, 4);
  utf8proc_int32_t value = -1;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                     static_cast<utf8proc_ssize_t>(left), &value);
  if (size <= 0) return {-1, 1};
  return {value, static_cast<std::size_t>(size)};
}

bool is_control(utf8proc_int32_t value) {
  // C0, DEL, C1, and the bidirectional overrides that can make text read as something else.
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

std::size_t cluster_size(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  CodePoint previous = code_point_at(text, at);
  std::size_t size = previous.size;
  if (previous.value < 0) return size;
  utf8proc_int32_t state = 0;
  while (at + size < text.size()) {
    const CodePoint next = code_point_at(text, at + size);
    if (next.value < 0 || utf8proc_grapheme_break_stateful(previous.value, next.value, &state)) break;
    size += next.size;
    previous = next;
  }
  return size;
}

std::size_t cluster_before(std::string_view text, std::size_t end) {
  // Clusters can only be found from the front; a line of chat is short.
  std::size_t start = 0;
  const std::size_t line = text.substr(0, end - 1).rfind('\n');
  if (line != std::string_view::npos) start = line + 1;
  std::size_t at = start;
  while (at < end) {
    start = at;
    at += cluster_size(text, at);
  }
  return start;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = cluster_size(text, at);
    int widest = 0;
    for (std::size_t i = at; i < at + size;) {
      const CodePoint point = code_point_at(text, i);
      widest = std::max(widest, point.value < 0 ? 1 : utf8proc_charwidth(point.value));
      i += point.size;
    }
    width += widest;
    at += size;
  }
  return width;
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

std::string cut_to_width(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  std::string cut;
  int used = 1;  // the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = cluster_size(text, at);
    const std::string_view cluster = text.substr(at, size);
    used += display_width(cluster);
    if (used > width) break;
    cut += cluster;
    at += size;
  }
  return cut + "…";
}

std::string wrap_words(std::string_view text, int indent, int width) {
  std::string out;
  int column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const int cells = display_width(word);
    if (column > indent && column + 1 + cells > width) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += cells;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string wrap_lines(std::string_view text, int width) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t gap = line.rfind("  ");
    const std::size_t column = gap == std::string_view::npos ? 0 : gap + 2;
    const int indent = display_width(line.substr(0, column));
    out += line.substr(0, column);
    out += wrap_words(line.substr(column), indent, width);
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string without_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool keep = point.value == '\n' || point.value == '\t' || (point.value >= 0 && !is_control(point.value));
    shown += keep ? text.substr(at, point.size) : kReplacement;
    at += point.size;
  }
  return shown;
}

std::string one_line(std::string_view text) {
  std::string line = without_controls(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    valid += point.value >= 0 ? text.substr(at, point.size) : kReplacement;
    at += point.size;
  }
  return valid;
}

}  // namespace reckon::cli
