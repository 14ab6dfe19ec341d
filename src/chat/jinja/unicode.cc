#include "chat/jinja/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace reckon::chat::jinja {
namespace {

// Characters whose upper case is more than one character (Unicode 15, SpecialCasing.txt, the common ones).
struct Expansion {
  char32_t code;
  const char* upper;
  const char* title;
};
constexpr std::array<Expansion, 10> kExpansions = {{{0x00DF, "SS", "Ss"},
                                                    {0x0149, "ʼN", "ʼN"},
                                                    {0x01F0, "J̌", "J̌"},
                                                    {0xFB00, "FF", "Ff"},
                                                    {0xFB01, "FI", "Fi"},
                                                    {0xFB02, "FL", "Fl"},
                                                    {0xFB03, "FFI", "Ffi"},
                                                    {0xFB04, "FFL", "Ffl"},
                                                    {0xFB05, "ST", "St"},
                                                    {0xFB06, "ST", "St"}}};

const Expansion* expansion_of(char32_t code) {
  const auto found =
      std::find_if(kExpansions.begin(), kExpansions.end(), [&](const Expansion& e) { return e.code == code; });
  return found == kExpansions.end() ? nullptr : found;
}

utf8proc_category_t category(char32_t code) { return utf8proc_category(static_cast<utf8proc_int32_t>(code)); }

std::string mapped(Character c, std::string_view bytes, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  if (!c.valid) return std::string(bytes);
  std::string out;
  append_utf8(out, static_cast<char32_t>(map(static_cast<utf8proc_int32_t>(c.code))));
  return out;
}

}  // namespace

Character character_at(std::string_view text, std::size_t offset) {
  const auto lead = static_cast<unsigned char>(text[offset]);
  if (lead < 0x80) return {lead, 1, true};
  utf8proc_int32_t code = -1;
  const std::size_t left = std::min<std::size_t>(4, text.size() - offset);
  const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + offset),
                                  static_cast<utf8proc_ssize_t>(left), &code);
  if (n <= 0 || code < 0) return {lead, 1, false};
  return {static_cast<char32_t>(code), static_cast<std::size_t>(n), true};
}

std::size_t character_start(std::string_view text, std::size_t end) {
  for (std::size_t back = 2; back <= 4 && back <= end; ++back) {
    const std::size_t start = end - back;
    if ((static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) continue;
    const Character c = character_at(text, start);
    if (c.valid && c.size == back) return start;
    break;
  }
  return end - 1;
}

std::size_t count_characters(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++n) i += character_at(text, i).size;
  return n;
}

std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; n > 0 && i < text.size(); --n) i += character_at(text, i).size;
  return i;
}

std::size_t find_bytes(std::string_view text, std::string_view needle, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  // memmem is linear (two-way search); std::string::find is not.
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

void append_utf8(std::string& out, char32_t code) {
  utf8proc_uint8_t buffer[4];
  const auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), buffer);
  out.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(std::max<utf8proc_ssize_t>(n, 0)));
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_break(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c != 0x7F;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_alpha(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}
bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }
bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU; }
bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }

std::string to_upper(Character c, std::string_view bytes) {
  if (const Expansion* e = c.valid ? expansion_of(c.code) : nullptr) return e->upper;
  return mapped(c, bytes, utf8proc_toupper);
}

std::string to_lower(Character c, std::string_view bytes) {
  if (c.valid && c.code == 0x130) return "i\xCC\x87";
  return mapped(c, bytes, utf8proc_tolower);
}

std::string to_title(Character c, std::string_view bytes) {
  if (const Expansion* e = c.valid ? expansion_of(c.code) : nullptr) return e->title;
  return mapped(c, bytes, utf8proc_totitle);
}

}  // namespace reckon::chat::jinja
