#pragma once
// A compiled grammar with its caches, and the place of one sequence in it.

#include <memory>

#include "grammar/automaton.h"
#include "grammar/stacks.h"
#include "grammar/syntax.h"
#include "grammar/token_sets.h"
#include "grammar/token_trie.h"
#include "reckon/grammar.h"

namespace reckon::grammar {

class CompiledGrammar final : public Grammar, public std::enable_shared_from_this<CompiledGrammar> {
 public:
  static Result<std::shared_ptr<const Grammar>> create(const Syntax& syntax, std::shared_ptr<const TokenTrie> trie);
  CompiledGrammar(Automaton automaton, std::shared_ptr<const TokenTrie> trie);

  [[nodiscard]] std::unique_ptr<GrammarMatcher> matcher() const override;
  [[nodiscard]] const Automaton& automaton() const { return automaton_; }
  [[nodiscard]] const TokenTrie& trie() const { return *trie_; }
  [[nodiscard]] TokenSets& token_sets() const { return token_sets_; }

 private:
  Automaton automaton_;
  std::shared_ptr<const TokenTrie> trie_;
  mutable TokenSets token_sets_;  // a cache, with a lock of its own
};

class Matcher final : public GrammarMatcher {
 public:
  explicit Matcher(std::shared_ptr<const CompiledGrammar> grammar);

  [[nodiscard]] Result<void> fill_mask(std::span<std::uint64_t> mask) override;
  [[nodiscard]] bool accept(TokenId id) override;
  [[nodiscard]] bool is_complete() const override { return config_.at_bottom && !is_over_; }
  [[nodiscard]] bool must_end() const override { return is_complete() && config_.places.empty(); }

 private:
  void drop_unused_frames();

  std::shared_ptr<const CompiledGrammar> grammar_;
  Closure closure_;
  FramePool pool_;
  Config config_;
  Config next_;
  std::size_t collect_at_ = 4096;  // frames in the pool that start the next clean-up
  bool is_over_ = false;           // over a limit: the sequence cannot go on
};

}  // namespace reckon::grammar
