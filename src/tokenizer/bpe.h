#pragma once
// Byte-pair encoding of one word: the pair of neighbours with the lowest rank is joined, the leftmost first among
// equals, until no pair has a rank. n log n in the length of the word. Source: Sennrich, Haddow, Birch 2016
// (arXiv:1508.07909), over bytes as in GPT-2.

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "reckon/tokenizer.h"

namespace reckon::tokenizer {

inline constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

struct Merge {
  std::uint32_t rank = kNoRank;  // kNoRank: the pair is never joined
  TokenId joined = -1;
};

// Pairs of tokens that may be joined. Filled while loading, then only read.
class MergeTable {
 public:
  explicit MergeTable(std::size_t n_merges);              // room for so many
  void insert(TokenId left, TokenId right, Merge merge);  // the first of two equal pairs stays
  [[nodiscard]] Merge find(TokenId left, TokenId right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t i = slot_of(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].merge;
      if (slots_[i].key == kFree) return {};
    }
  }

 private:
  static constexpr std::uint64_t kFree = std::numeric_limits<std::uint64_t>::max();
  static std::uint64_t key_of(TokenId left, TokenId right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask_;  // Fibonacci hashing
  }

  struct Slot {
    std::uint64_t key = kFree;
    Merge merge;
  };
  std::vector<Slot> slots_;
  std::size_t mask_;
};

// The token of each byte; -1: the vocabulary has none, and the byte is dropped, as Hugging Face tokenizers do.
using ByteTokens = std::array<TokenId, 256>;

// Encodes word after word with the memory of the last one. Not thread-safe: one per call of encode.
class WordEncoder {
 public:
  // Both must outlive the encoder.
  WordEncoder(const MergeTable& merges, const ByteTokens& byte_tokens) : merges_(&merges), byte_tokens_(&byte_tokens) {}
  void encode(std::string_view word, std::vector<TokenId>& out);

  // Pairs looked at and heap entries taken so far: what tests bound instead of time.
  [[nodiscard]] std::uint64_t n_steps() const { return n_steps_; }

 private:
  struct Symbol {  // a node of a doubly linked list, by position
    TokenId id;
    std::uint32_t previous;
    std::uint32_t next;
    Merge merge;  // with the next one; kNoRank for a symbol that was joined away
  };
  void encode_short(std::vector<TokenId>& out);
  void encode_long(std::vector<TokenId>& out);
  void set_merge(std::uint32_t position);

  const MergeTable* merges_;
  const ByteTokens* byte_tokens_;
  std::vector<TokenId> ids_;
  std::vector<Merge> pair_merges_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> heap_;  // rank << 32 | position, smallest first
  std::uint64_t n_steps_ = 0;
};

}  // namespace reckon::tokenizer
