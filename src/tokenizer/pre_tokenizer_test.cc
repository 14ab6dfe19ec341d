#include "tokenizer/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace reckon::tokenizer {
namespace {

using Words = std::vector<std::string>;

Words words(Pattern pattern, std::string_view text) {
  Words found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(pattern, text, at);
    if (end <= at || end > text.size()) {
      ADD_FAILURE() << "a word at " << at << " ends at " << end;
      return found;
    }
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

// The slow twin: the original regular expression.
class Regex {
 public:
  explicit Regex(const char* pattern) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP,
                              &error, &offset, nullptr));
    match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  }
  void split(std::string_view text, Words& out) const {
    for (std::size_t at = 0; at < text.size();) {
      const int n = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0,
                                match_.get(), nullptr);
      ASSERT_GT(n, 0);
      const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match_.get());
      ASSERT_EQ(range[0], at) << "the pattern covers every text";
      out.emplace_back(text.substr(at, range[1] - at));
      at = range[1];
    }
  }

 private:
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code_{nullptr, pcre2_code_free};
  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match_{nullptr, pcre2_match_data_free};
};

constexpr const char* kGpt2Regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3Regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

Words slow_words(Pattern pattern, std::string_view text) {
  static const Regex gpt2(kGpt2Regex), qwen2(kQwen2Regex), llama3(kLlama3Regex), digits(R"(\p{N}|\P{N}+)");
  Words found;
  if (pattern == Pattern::kGpt2) gpt2.split(text, found);
  if (pattern == Pattern::kQwen2) qwen2.split(text, found);
  if (pattern == Pattern::kLlama3) llama3.split(text, found);
  if (pattern == Pattern::kSmollm) {
    Words pieces;
    digits.split(text, pieces);
    for (const std::string& piece : pieces) gpt2.split(piece, found);
  }
  return found;
}

constexpr Pattern kAll[] = {Pattern::kGpt2, Pattern::kSmollm, Pattern::kQwen2, Pattern::kLlama3};

TEST(PreTokenizer, equals_the_regular_expression_on_random_text) {
  const std::vector<std::string> alphabet = {
      " ",      " ",      "  ",         "\n",         "\r",     "\t",     "\u00A0", "\u3000", "\u0085",
      "\v",     "a",      "B",          "s",          "S",      "t",      "re",     "VE",     "ll",
      "m",      "D",      "'",          "'",          "\u017F", "\u2019", ".",      "(",      "--",
      "\u0301", "\u00E9", "\u597D",     "\u00DF",     "1",      "2",      "\u0663", "\u00BD", "\U0001F600",
      "\u200B", "\u2160", "\U0001D7D8", "_",          "\uFEFF", "\u0903", "\x1C",   "\x01",   "l",
      "\u212A", "\uFB06", "\u0149",     "\U0010FFFF", "0",      "\u3007", "\u00B2"};
  std::mt19937 random(17);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const auto n = 1 + random() % 14;
    for (unsigned i = 0; i < n; ++i) text += alphabet[random() % alphabet.size()];
    for (const Pattern pattern : kAll) {
      ASSERT_EQ(words(pattern, text), slow_words(pattern, text))
          << "pattern " << static_cast<int>(pattern) << " on: " << text;
    }
  }
}

TEST(PreTokenizer, splits_the_texts_of_known_reports) {
  EXPECT_EQ(words(Pattern::kQwen2, "hello world"), (Words{"hello", " world"}));
  EXPECT_EQ(words(Pattern::kQwen2, "2024\u5E741\u6708"), (Words{"2", "0", "2", "4", "\u5E74", "1", "\u6708"}));
  EXPECT_EQ(words(Pattern::kLlama3, "12345"), (Words{"123", "45"}));
  EXPECT_EQ(words(Pattern::kGpt2, " 12345"), (Words{" 12345"}));
  EXPECT_EQ(words(Pattern::kSmollm, "a  12"), (Words{"a", "  ", "1", "2"}));
  EXPECT_EQ(words(Pattern::kQwen2, "a   b\n\n\n  c\t\t"), (Words{"a", "  ", " b", "\n\n\n", " ", " c", "\t\t"}));
  EXPECT_EQ(words(Pattern::kQwen2, "don'T"), (Words{"don", "'T"}));
  EXPECT_EQ(words(Pattern::kGpt2, "don'T"), (Words{"don", "'", "T"}));
  EXPECT_EQ(words(Pattern::kQwen2, "x;\r\n\r\ny"), (Words{"x", ";\r\n\r\n", "y"}));
}

TEST(PreTokenizer, invalid_bytes_are_symbols_and_never_lost) {
  EXPECT_EQ(words(Pattern::kQwen2, "a\xFF\xC3 b\xE4\xBD"), (Words{"a", "\xFF\xC3", " b", "\xE4\xBD"}));
  std::mt19937 random(5);
  for (int round = 0; round < 5'000; ++round) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = static_cast<char>(random());
    for (const Pattern pattern : kAll) {
      std::string joined;
      for (const std::string& word : words(pattern, text)) joined += word;
      ASSERT_EQ(joined, text);
    }
  }
}

}  // namespace
}  // namespace reckon::tokenizer
