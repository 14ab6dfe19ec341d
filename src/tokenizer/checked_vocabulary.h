#pragma once
// The vocabulary after all checks: texts as bytes, types, indexes. Filled once by check_vocabulary, then only read.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/bpe.h"
#include "tokenizer/token_index.h"
#include "tokenizer/vocabulary.h"

namespace reckon::tokenizer {

class Vocabulary {
 public:
  Vocabulary(const Vocabulary&) = delete;  // the indexes point into the texts
  Vocabulary& operator=(const Vocabulary&) = delete;

  [[nodiscard]] TokenId size() const { return static_cast<TokenId>(types_.size()); }
  [[nodiscard]] bool has(TokenId id) const { return id >= 0 && id < size(); }
  // Of an id that the vocabulary has.
  [[nodiscard]] std::string_view bytes(TokenId id) const { return texts_[id]; }
  [[nodiscard]] TokenType type(TokenId id) const { return types_[static_cast<std::size_t>(id)]; }
  // Parsed in template text; never the result of encoding plain text.
  [[nodiscard]] bool is_special(TokenId id) const {
    const TokenType t = type(id);
    return t == TokenType::kControl || t == TokenType::kUserDefined || t == TokenType::kUnknown;
  }
  [[nodiscard]] TokenId find_plain(std::string_view bytes) const { return plain_.find(bytes); }
  [[nodiscard]] TokenId find_special(std::string_view bytes) const { return special_.find(bytes); }
  [[nodiscard]] const ByteTokens& byte_tokens() const { return byte_tokens_; }

 private:
  friend class VocabularyChecker;
  explicit Vocabulary(std::size_t n_tokens) : plain_(texts_, n_tokens), special_(texts_, n_tokens) {}

  TokenTexts texts_;
  std::vector<TokenType> types_;
  TokenIndex plain_;    // normal and byte tokens, by their bytes
  TokenIndex special_;  // control, user-defined and unknown tokens
  ByteTokens byte_tokens_{};
};

Result<std::unique_ptr<const Vocabulary>> check_vocabulary(const VocabularyData& data);

// The merges whose three tokens are plain tokens of the vocabulary; the others are left out with one warning.
MergeTable make_merges(const VocabularyData& data, const Vocabulary& vocabulary);

// <|eot_id|>, <|im_end|> ...: a model that writes one of these has ended its turn, whatever the file says about it.
[[nodiscard]] bool is_known_end_text(std::string_view text);

// Texts that are control tokens in the file of some models, but which belong to the answer: <think>, <tool_call> ...
[[nodiscard]] bool is_visible_mark(std::string_view text);

// <|...|> or <｜...｜>: the form of control tokens only.
[[nodiscard]] bool looks_like_control(std::string_view text);

}  // namespace reckon::tokenizer
