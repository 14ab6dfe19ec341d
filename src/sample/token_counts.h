#pragma once
// The distinct tokens of one sequence and how often each came in the answer: what penalties look at.
// Owner: the sequence. Memory: all made in the constructor.

#include <cstdint>
#include <span>
#include <vector>

#include "reckon/token.h"

namespace reckon::sample {

class TokenCounts {
 public:
  struct Entry {
    TokenId id = 0;
    std::int32_t n_answer = 0;  // 0: only in the prompt
  };

  TokenCounts() = default;  // holds nothing
  explicit TokenCounts(std::size_t max_tokens);

  // Each at most max_tokens times in total.
  void add_prompt(TokenId id) { find_or_add(id); }
  void add_answer(TokenId id) { ++find_or_add(id).n_answer; }
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

 private:
  Entry& find_or_add(TokenId id);

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // open addressing, a power of two, at most half full; -1: empty
};

}  // namespace reckon::sample
