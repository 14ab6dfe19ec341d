#pragma once
// Finds control tokens in template text: leftmost first, the longest among those that start there; in one pass.
// Source: Aho, Corasick 1975, with failure links cut where a match is certain, so that no later start can take its
// place.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reckon/tokenizer.h"

namespace reckon::tokenizer {

struct SpecialMatch {
  std::size_t begin;
  std::size_t end;
  TokenId id;
};

// Filled while loading, then only read.
class SpecialMatcher {
 public:
  SpecialMatcher();
  void add(std::string_view text, TokenId id);  // before link(); empty texts and repetitions are left out
  void link();                                  // after the last add()

  // Appends what lies wholly inside text[begin, end), in order, without overlaps.
  void find_all(std::string_view text, std::size_t begin, std::size_t end, std::vector<SpecialMatch>& out) const;

 private:
  using State = std::int32_t;
  static constexpr State kRoot = 0;
  static constexpr State kDead = -1;  // the match found so far is the one

  struct Node {
    State first_child = kDead;
    State next_sibling = kDead;
    State failure = kRoot;
    TokenId match = -1;              // the match that ends here, -1: none
    std::uint32_t match_length = 0;  // in bytes; shorter than `depth` where a later start ends here
    std::uint32_t depth = 0;
    std::uint8_t byte = 0;
  };
  [[nodiscard]] State child(State state, std::uint8_t byte) const;
  [[nodiscard]] State step(State state, std::uint8_t byte) const;

  std::vector<Node> nodes_;
  std::array<State, 256> root_children_;
};

}  // namespace reckon::tokenizer
