#pragma once
// UTF-8 over bytes that may be anything: one character at a time, and repair.
// "Invalid" follows the Unicode Standard (table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF), and
// repair its practice of maximal subparts: each longest start of a character that cannot be finished becomes one
// U+FFFD. Thread: any; no state.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reckon::text {

inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

struct Decoded {
  char32_t code_point = kReplacement;
  std::uint8_t length = 1;  // bytes taken, 1..4; of an invalid sequence: its maximal subpart, 1..3
  bool valid = false;
  bool truncated = false;  // not valid, but more bytes at the end of the text could make it so
};

// The character at bytes[at]. Needs at < bytes.size().
[[nodiscard]] Decoded decode_utf8(std::string_view bytes, std::size_t at);

// Appends a scalar value; anything else (surrogates, above U+10FFFF) as U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

// Appends `bytes` with each maximal invalid subpart replaced by U+FFFD.
void append_repaired_utf8(std::string& out, std::string_view bytes);
[[nodiscard]] std::string repair_utf8(std::string_view bytes);

// How many bytes at the end (0..3) are the start of a character that more bytes could finish.
[[nodiscard]] std::size_t unfinished_utf8_tail(std::string_view bytes);

}  // namespace reckon::text
