#pragma once
// The four classes of characters that pre-tokenizers tell apart, as the regular expressions of Hugging Face tokenizers
// see them.

#include <array>
#include <cstdint>

namespace reckon::tokenizer {

enum class CharClass : std::uint8_t {
  kOther,   // [^\s\p{L}\p{N}], combining marks and invalid bytes among them
  kLetter,  // \p{L}
  kNumber,  // \p{N}
  kSpace,   // \s, which is the property White_Space
  kEnd,     // behind the text
};

// Any value; what is not a character is kOther.
[[nodiscard]] CharClass wide_char_class(char32_t c);

namespace detail {
constexpr std::array<CharClass, 128> ascii_classes() {
  std::array<CharClass, 128> classes{};
  for (unsigned c = 0; c < 128; ++c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) classes[c] = CharClass::kLetter;
    if (c >= '0' && c <= '9') classes[c] = CharClass::kNumber;
    if (c == ' ' || (c >= 9 && c <= 13)) classes[c] = CharClass::kSpace;
  }
  return classes;
}
inline constexpr std::array<CharClass, 128> kAsciiClasses = ascii_classes();
}  // namespace detail

[[nodiscard]] inline CharClass char_class(char32_t c) {
  return c < 128 ? detail::kAsciiClasses[c] : wide_char_class(c);
}

}  // namespace reckon::tokenizer
