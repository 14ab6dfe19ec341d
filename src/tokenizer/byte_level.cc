#include "tokenizer/byte_level.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "text/utf8.h"

namespace reckon::tokenizer {
namespace {

constexpr std::size_t kAlphabetEnd = 0x144;

struct Alphabet {
  std::array<char16_t, 256> of_byte{};
  std::array<std::int16_t, kAlphabetEnd> to_byte{};  // -1: not in the alphabet
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.to_byte.fill(-1);
  char16_t next = 0x100;
  for (unsigned b = 0; b < 256; ++b) {
    const bool itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    const char16_t c = itself ? static_cast<char16_t>(b) : next++;
    alphabet.of_byte[b] = c;
    alphabet.to_byte[c] = static_cast<std::int16_t>(b);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

void append_token_bytes(std::string& out, std::string_view spelling) {
  for (std::size_t i = 0; i < spelling.size();) {
    const text::Decoded c = text::decode_utf8(spelling, i);
    if (c.valid && c.code_point < kAlphabetEnd && kAlphabet.to_byte[c.code_point] >= 0) {
      out.push_back(static_cast<char>(kAlphabet.to_byte[c.code_point]));
    } else {
      out.append(spelling, i, c.length);
    }
    i += c.length;
  }
}

std::string spell_token(std::string_view bytes) {
  std::string out;
  for (const char b : bytes) text::append_utf8(out, kAlphabet.of_byte[static_cast<std::uint8_t>(b)]);
  return out;
}

}  // namespace reckon::tokenizer
