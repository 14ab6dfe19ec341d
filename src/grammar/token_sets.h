#pragma once
// From places in a text to the tokens that may come next.
//
// A stack is read from its top. What its top state allows on its own does not depend on the rest, so it is worked out
// once a state and kept: the tokens that stay within the state's rule, and the nodes of the vocabulary's trie where the
// rule may end inside a token. Only below those nodes the rest of the stack is asked, by the same step. The split into
// tokens that need the stack and tokens that do not is that of XGrammar (Dong et al. 2024, arXiv:2411.15100).
//
// Thread-safe: one lock over all of it, held for the time of one mask.

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/automaton.h"
#include "grammar/lazy_dfa.h"
#include "grammar/stacks.h"
#include "grammar/token_trie.h"

namespace reckon::grammar {

class TokenSets {
 public:
  // Both must outlive it.
  TokenSets(const Automaton& automaton, const TokenTrie& trie);

  // Sets the bits of all tokens that fit from one of `places`; other bits stay. kLimit: too ambiguous.
  [[nodiscard]] Result<void> add_tokens(std::span<const Place> places, const FramePool& pool,
                                        std::span<std::uint64_t> mask);

 private:
  // What one state allows above any stack.
  struct TokenSet {
    std::vector<std::uint64_t> bits;  // either bits of all tokens,
    std::vector<TokenId> ids;         // or few tokens one by one
    std::vector<std::uint32_t> ends;  // trie nodes with children where the state's rule may end
    [[nodiscard]] std::size_t n_bytes() const;
  };
  struct Kept {
    std::shared_ptr<const TokenSet> set;
    std::list<StateId>::iterator use;
  };

  std::shared_ptr<const TokenSet> set_of(StateId state);
  std::shared_ptr<const TokenSet> make_set(StateId state);
  void keep(StateId state, std::shared_ptr<const TokenSet> set);
  template <class OnToken>
  void walk(LazyDfa::Id start, std::size_t begin, std::size_t end, OnToken on_token);
  void add_below(std::uint32_t node, FrameId stack, const FramePool& pool, std::span<std::uint64_t> mask);

  const TokenTrie* trie_;
  std::mutex mutex_;
  LazyDfa dfa_;
  std::vector<LazyDfa::Id> path_;    // by depth in the trie
  std::vector<std::uint32_t> ends_;  // of the last walk
  std::vector<std::uint64_t> bits_;  // of the set at hand, and one for "no token"
  struct Pending {
    std::uint32_t node;
    FrameId stack;
  };
  std::vector<Pending> pending_;
  std::size_t n_steps_ = 0;  // of the mask at hand
  std::unordered_map<StateId, Kept> kept_;
  std::list<StateId> uses_;  // the last used first
  std::size_t kept_bytes_ = 0;
};

}  // namespace reckon::grammar
