#pragma once
// From the bytes of a token to its id: an open-addressing table over texts that somebody else keeps.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reckon/tokenizer.h"

namespace reckon::tokenizer {

// The texts of all tokens, one behind the other.
class TokenTexts {
 public:
  void reserve(std::size_t n_tokens, std::size_t n_bytes) {
    ends_.reserve(n_tokens);
    bytes_.reserve(n_bytes);
  }
  // What is appended to buffer() becomes the next token with close().
  std::string& buffer() { return bytes_; }
  void close() { ends_.push_back(bytes_.size()); }

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

class TokenIndex {
 public:
  // `texts` must outlive the index. Room for `n_tokens` entries at most.
  TokenIndex(const TokenTexts& texts, std::size_t n_tokens);

  // False where a token with the same text is there already; it stays.
  bool insert(TokenId id);
  [[nodiscard]] TokenId find(std::string_view text) const;  // -1: none

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view text) const;

  struct Slot {
    std::uint32_t hash;
    TokenId id;  // -1: free
  };
  const TokenTexts* texts_;
  std::vector<Slot> slots_;
};

}  // namespace reckon::tokenizer
