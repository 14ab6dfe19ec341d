#pragma once
// Characters of UTF-8 text as Python's str counts and classes them. A byte that is not valid UTF-8 is a character.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reckon::chat::jinja {

struct Character {
  char32_t code;     // the byte itself where it is not valid UTF-8
  std::size_t size;  // bytes, 1..4
  bool valid;
};

// Requires offset < text.size().
[[nodiscard]] Character character_at(std::string_view text, std::size_t offset);
// Where the character that ends at `end` starts. Requires 0 < end <= text.size().
[[nodiscard]] std::size_t character_start(std::string_view text, std::size_t end);
[[nodiscard]] std::size_t count_characters(std::string_view text);
// The byte offset of the n-th character; text.size() where there are not that many.
[[nodiscard]] std::size_t offset_of(std::string_view text, std::size_t n);
// Where `needle` is first found at or after `from`; npos where it is not. Linear time on any bytes.
[[nodiscard]] std::size_t find_bytes(std::string_view text, std::string_view needle, std::size_t from);
void append_utf8(std::string& out, char32_t code);

[[nodiscard]] bool is_space(char32_t code);       // str.isspace of one character
[[nodiscard]] bool is_line_break(char32_t code);  // where str.splitlines cuts
[[nodiscard]] bool is_printable(char32_t code);   // what repr() shows as it is
[[nodiscard]] bool is_alpha(char32_t code);
[[nodiscard]] bool is_digit(char32_t code);
[[nodiscard]] bool is_upper(char32_t code);
[[nodiscard]] bool is_lower(char32_t code);

// One character in upper, lower or title case; may become several characters (Unicode SpecialCasing).
[[nodiscard]] std::string to_upper(Character c, std::string_view bytes);
[[nodiscard]] std::string to_lower(Character c, std::string_view bytes);
[[nodiscard]] std::string to_title(Character c, std::string_view bytes);

}  // namespace reckon::chat::jinja
