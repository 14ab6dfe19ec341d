#include "tokenizer/family.h"

#include <algorithm>
#include <cstddef>

#include "tokenizer/checked_vocabulary.h"

namespace reckon::tokenizer {
namespace {

constexpr Family kGpt2{.name = "gpt-2", .pattern = Pattern::kGpt2};
constexpr Family kLlama3{.name = "llama-bpe", .pattern = Pattern::kLlama3, .whole_words = true, .adds_bos = true};
constexpr Family kQwen2{.name = "qwen2", .pattern = Pattern::kQwen2, .nfc = true};
constexpr Family kR1Qwen{.name = "deepseek-r1-qwen", .pattern = Pattern::kQwen2, .nfc = true, .adds_bos = true};
constexpr Family kSmollm{.name = "smollm", .pattern = Pattern::kSmollm};

struct Name {
  std::string_view pre;
  const Family* family;
};

constexpr Name kNames[] = {
    {"gpt-2", &kGpt2},       {"gpt2", &kGpt2},   {"llama-bpe", &kLlama3},        {"llama3", &kLlama3},
    {"llama-v3", &kLlama3},  {"qwen2", &kQwen2}, {"deepseek-r1-qwen", &kR1Qwen}, {"smollm", &kSmollm},
    {"starcoder", &kSmollm},  // the same rule: digits alone, then gpt-2
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_mark(char c) { return c > ' ' && c < 0x7F && !is_digit(c) && !is_letter(c); }

}  // namespace

const Family* find_family(std::string_view pre) {
  const auto* name = std::ranges::find(kNames, pre, &Name::pre);
  return name == std::end(kNames) ? nullptr : name->family;
}

const Family& guess_family(const Vocabulary& vocabulary) {
  constexpr std::size_t kEnoughTokens = 10'000;  // below, what is missing proves nothing
  constexpr int kEnoughGlued = 100;
  std::size_t longest_number = 0;
  int n_glued = 0;  // ".get", "(self": only qwen2 and llama3 let a mark begin a word
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view text = vocabulary.bytes(id);
    if (vocabulary.type(id) != TokenType::kNormal || text.size() < 2) continue;
    if (std::ranges::all_of(text, is_digit)) longest_number = std::max(longest_number, text.size());
    if (text[0] != '\'' && is_mark(text[0]) && std::ranges::all_of(text.substr(1), is_letter)) ++n_glued;
  }
  if (static_cast<std::size_t>(vocabulary.size()) < kEnoughTokens) return kGpt2;
  if (n_glued >= kEnoughGlued) return longest_number == 0 ? kQwen2 : longest_number <= 3 ? kLlama3 : kGpt2;
  return longest_number == 0 ? kSmollm : kGpt2;
}

}  // namespace reckon::tokenizer
