#include "http/request_target.h"

#include <optional>

#include "http/field_text.h"

namespace reckon::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool has_dot_segment(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    // A backslash separates nothing here, but may where somebody hands the path on.
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "." || segment == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Checked<RequestTarget> parse_target(std::string_view target) {
  RequestTarget parsed;
  if (target == "*") {
    parsed.path = "*";
    return parsed;
  }
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (target.size() < scheme.size() || !equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    parsed.authority = target.substr(0, end);
    target.remove_prefix(end);
    if (parsed.authority.empty()) return refuse(400, "the URL of the request line names no host");
    if (!target.starts_with('/')) {
      parsed.path = "/";
      parsed.query = target.empty() ? "" : target.substr(1);
      return parsed;
    }
    break;
  }
  if (!target.starts_with('/')) return refuse(400, "the target of the request line must be a path that begins with /");
  const std::size_t question = std::min(target.find('?'), target.size());
  if (question < target.size()) parsed.query = target.substr(question + 1);
  auto path = percent_decoded(target.substr(0, question));
  if (!path) return refuse(400, "the path has a % that two hexadecimal digits do not follow");
  if (!is_field_value(*path) || path->contains('\t')) return refuse(400, "the path has a control character");
  if (has_dot_segment(*path)) return refuse(400, "the path has a dot segment: name the resource itself");
  parsed.path = *std::move(path);
  return parsed;
}

}  // namespace reckon::http
