#pragma once
// Cuts text into the words that byte-pair encoding works on: hand-written scanners for the regular expressions of the
// known tokenizers. Linear time, no recursion, no memory; an invalid byte counts as one character of class kOther.
//
//   gpt-2   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   smollm  each \p{N} alone, then gpt-2 on every piece between them
//   qwen2   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|
//   ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ llama3  as qwen2, with \p{N}{1,3}

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace reckon::tokenizer {

enum class Pattern : std::uint8_t { kGpt2, kSmollm, kQwen2, kLlama3 };

// Where the word that starts at `at` ends. Needs at < text.size() and `at` at the end of the word before.
[[nodiscard]] std::size_t word_end(Pattern pattern, std::string_view text, std::size_t at);

}  // namespace reckon::tokenizer
