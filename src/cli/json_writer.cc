#include "cli/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/display_text.h"

namespace reckon::cli {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string json_number(double value, int decimals) {
  if (!std::isfinite(value)) return "null";
  return fmt::format("{:.{}f}", value, decimals);
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view value) {
  if (!body_.empty()) body_ += ", ";
  body_ += json_string(key);
  body_ += ": ";
  body_ += value;
  return *this;
}

}  // namespace reckon::cli
