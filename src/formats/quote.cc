#include "formats/quote.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace reckon::formats {
namespace {

struct Character {
  std::uint32_t code_point = 0;
  std::size_t n_bytes = 0;  // 0: not valid UTF-8
};

Character decode_first(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < n) return {};
  std::uint32_t code_point = lead & (0x7fU >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3f);
  }
  const std::uint32_t smallest = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < smallest || code_point > 0x10ffff || surrogate) return {};
  return {code_point, n};
}

// C0 and C1 controls, line and paragraph separators, and marks that reorder what follows them on screen.
bool is_unsafe(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0x200e || c == 0x200f || c == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const Character character = decode_first(text);
    const std::size_t n = character.n_bytes == 0 ? 1 : character.n_bytes;
    const bool plain = character.n_bytes != 0 && !is_unsafe(character.code_point);
    if (out.size() + (plain ? n : 4 * n) > max_bytes) return out + "...";
    if (plain) {
      out += text.substr(0, n);
    } else {
      for (const char c : text.substr(0, n)) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(n);
  }
  return out;
}

std::string quote(std::string_view text, std::size_t max_bytes) {
  return fmt::format("'{}'", printable(text, max_bytes));
}

}  // namespace reckon::formats
