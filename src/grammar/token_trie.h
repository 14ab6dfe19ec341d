#pragma once
// A vocabulary as a byte trie, laid out in preorder: the subtree of a node is the range that follows it, so that a walk
// is one pass over an array and leaving out a subtree is a jump. Immutable; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reckon/grammar.h"

namespace reckon::grammar {

struct TrieNode {
  std::uint32_t end = 0;    // one past the last node of its subtree
  std::uint32_t token = 0;  // that ends here; n_vocab: none
  std::uint16_t depth = 0;  // bytes from the root, which itself has none
  std::uint8_t byte = 0;
};

// Left out: control tokens, tokens without bytes, and tokens of more than kMaxTokenBytes.
class TokenTrie final : public GrammarVocabulary {
 public:
  static constexpr std::size_t kMaxTokenBytes = 1024;

  explicit TokenTrie(const Tokenizer& tokenizer);

  [[nodiscard]] int n_vocab() const override { return n_vocab_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const TrieNode& node(std::size_t i) const { return nodes_[i]; }
  // Tokens with the bytes of another one, which is in the trie.
  struct Copy {
    TokenId of = 0;
    TokenId id = 0;
  };
  [[nodiscard]] std::span<const Copy> copies() const { return copies_; }
  [[nodiscard]] std::size_t max_depth() const { return max_depth_; }
  [[nodiscard]] std::span<const TokenId> end_tokens() const { return end_tokens_; }  // end of generation
  // The bytes of a token that is in the trie; empty for any other id.
  [[nodiscard]] std::string_view bytes_of(TokenId id) const;

 private:
  int n_vocab_ = 0;
  std::vector<TrieNode> nodes_;
  std::vector<Copy> copies_;
  std::vector<TokenId> end_tokens_;
  std::vector<std::uint32_t> text_begin_;  // by id, n_vocab + 1 entries into text_
  std::vector<char> text_;
  std::size_t max_depth_ = 0;
};

}  // namespace reckon::grammar
