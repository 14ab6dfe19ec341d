#pragma once
// Vocabularies made in code, for tests and fuzzers: a token for each byte (its value is its id), then one for each
// merge, then whatever is added by hand.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/byte_level.h"
#include "tokenizer/vocabulary.h"

namespace reckon::tokenizer {

class SmallVocabulary {
 public:
  explicit SmallVocabulary(std::string_view pre = "gpt-2") {
    data.model = "gpt2";
    data.pre = pre;
    data.token_types.emplace();
    for (int b = 0; b < 256; ++b) add_bytes(std::string(1, static_cast<char>(b)));
  }

  // Texts are bytes; the token that the merge makes is added where it is new. Returns its id.
  TokenId merge(const std::string& left, const std::string& right) {
    data.merges.push_back(keep(spell_token(left) + " " + spell_token(right)));
    return add_bytes(left + right);
  }
  TokenId add_bytes(const std::string& bytes) { return add(spell_token(bytes), TokenType::kNormal); }
  TokenId add(const std::string& spelling, TokenType type) {
    data.tokens.push_back(keep(spelling));
    data.token_types->push_back(static_cast<std::int64_t>(type));
    return static_cast<TokenId>(data.tokens.size() - 1);
  }

  VocabularyData data;  // valid as long as this object

 private:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::deque<std::string> texts_;  // grows without moving what is there
};

}  // namespace reckon::tokenizer
