#include "tokenizer/pre_tokenizer.h"

#include "text/utf8.h"
#include "tokenizer/char_class.h"

namespace reckon::tokenizer {
namespace {

struct Char {
  char32_t code_point = 0;
  CharClass char_class = CharClass::kEnd;
  std::uint8_t length = 0;
};

Char char_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto first = static_cast<std::uint8_t>(text[at]);
  if (first < 0x80) return {first, detail::kAsciiClasses[first], 1};
  const text::Decoded c = text::decode_utf8(text, at);
  if (!c.valid) return {text::kReplacement, CharClass::kOther, 1};
  return {c.code_point, wide_char_class(c.code_point), c.length};
}

std::size_t run_end(std::string_view text, std::size_t at, CharClass char_class) {
  for (;;) {
    const Char c = char_at(text, at);
    if (c.char_class != char_class) return at;
    at += c.length;
  }
}

bool is_newline(char32_t c) { return c == '\r' || c == '\n'; }

// Length of 's 't 're 've 'm 'll 'd at `at`, where an apostrophe stands; 0 where there is none.
// Case-insensitive, U+017F (long s) matches s as well: it is s when case is folded.
std::size_t contraction_length(std::string_view text, std::size_t at, bool any_case) {
  const auto letter = [&](std::size_t i) -> char {
    if (at + i >= text.size()) return 0;
    const char c = text[at + i];
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  };
  if (any_case && text.substr(at + 1).starts_with("\u017F")) return 3;
  switch (letter(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return letter(2) == 'e' ? 3 : 0;
    case 'l':
      return letter(2) == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

struct SpaceRun {
  std::size_t end;           // of the run
  std::size_t last_begin;    // of its last character
  std::size_t newlines_end;  // behind its last CR or LF; 0: none
};

SpaceRun space_run(std::string_view text, std::size_t at) {
  SpaceRun run{at, at, 0};
  for (;;) {
    const Char c = char_at(text, run.end);
    if (c.char_class != CharClass::kSpace) return run;
    run.last_begin = run.end;
    run.end += c.length;
    if (is_newline(c.code_point)) run.newlines_end = run.end;
  }
}

// \s+(?!\S)|\s+ : the last space before a word goes with the word, unless it is the only one.
std::size_t spaces_end(const SpaceRun& run, std::size_t at, bool at_end_of_piece) {
  return at_end_of_piece || run.last_begin == at ? run.end : run.last_begin;
}

std::size_t gpt2_word_end(std::string_view text, std::size_t at, bool digits_alone) {
  const Char c = char_at(text, at);
  if (c.code_point == '\'') {
    if (const std::size_t n = contraction_length(text, at, false)) return at + n;
  }
  if (digits_alone && c.char_class == CharClass::kNumber) return at + c.length;
  if (c.char_class != CharClass::kSpace) return run_end(text, at, c.char_class);
  if (c.code_point == ' ') {
    const CharClass next = char_at(text, at + 1).char_class;
    const bool joins =
        next == CharClass::kLetter || next == CharClass::kOther || (next == CharClass::kNumber && !digits_alone);
    if (joins) return run_end(text, at + 1, next);
  }
  const SpaceRun run = space_run(text, at);
  const CharClass behind = char_at(text, run.end).char_class;
  return spaces_end(run, at, behind == CharClass::kEnd || (digits_alone && behind == CharClass::kNumber));
}

std::size_t qwen2_word_end(std::string_view text, std::size_t at, int max_digits) {
  const Char c = char_at(text, at);
  if (c.code_point == '\'') {
    if (const std::size_t n = contraction_length(text, at, true)) return at + n;
  }
  if (c.char_class == CharClass::kLetter) return run_end(text, at, CharClass::kLetter);
  if (c.char_class == CharClass::kNumber) {
    std::size_t end = at + c.length;
    for (int n = 1; n < max_digits; ++n) {
      const Char digit = char_at(text, end);
      if (digit.char_class != CharClass::kNumber) break;
      end += digit.length;
    }
    return end;
  }
  const CharClass next = char_at(text, at + c.length).char_class;
  if (next == CharClass::kLetter && !is_newline(c.code_point)) return run_end(text, at + c.length, CharClass::kLetter);
  if (c.char_class == CharClass::kOther || (c.code_point == ' ' && next == CharClass::kOther)) {
    std::size_t end = run_end(text, at + c.length, CharClass::kOther);
    while (end < text.size() && is_newline(static_cast<std::uint8_t>(text[end]))) ++end;
    return end;
  }
  const SpaceRun run = space_run(text, at);
  if (run.newlines_end != 0) return run.newlines_end;
  return spaces_end(run, at, run.end == text.size());
}

}  // namespace

std::size_t word_end(Pattern pattern, std::string_view text, std::size_t at) {
  switch (pattern) {
    case Pattern::kGpt2:
      return gpt2_word_end(text, at, false);
    case Pattern::kSmollm:
      return gpt2_word_end(text, at, true);
    case Pattern::kQwen2:
      return qwen2_word_end(text, at, 1);
    case Pattern::kLlama3:
      return qwen2_word_end(text, at, 3);
  }
  return text.size();
}

}  // namespace reckon::tokenizer
