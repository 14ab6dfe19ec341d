#pragma once
// A grammar as a pushdown automaton over bytes: a deterministic automaton a rule, whose states may also call rules.
// A place in a text is a state and a stack of the states to return to. Immutable once built; any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "grammar/nfa.h"
#include "grammar/syntax.h"

namespace reckon::grammar {

using StateId = std::uint32_t;

struct State {
  std::uint32_t first_byte_edge = 0;
  std::uint32_t first_call = 0;
  std::uint32_t n_byte_edges = 0;
  std::uint32_t n_calls = 0;
  bool accepts = false;      // the rule may end here
  bool ends_always = false;  // accepts, and nothing else can happen: no need to come back
};

// From every state the end of its rule can be reached, and no rule can call itself before it has read a byte.
class Automaton {
 public:
  // kLimit; kInvalidInput: left recursion, or a grammar that no finite text fits.
  [[nodiscard]] static Result<Automaton> compile(const Syntax& syntax);

  [[nodiscard]] const State& state(StateId id) const { return states_[id]; }
  [[nodiscard]] std::size_t n_states() const { return states_.size(); }
  // Sorted and apart from each other.
  [[nodiscard]] std::span<const ByteEdge> byte_edges(StateId id) const {
    return {byte_edges_.data() + states_[id].first_byte_edge, states_[id].n_byte_edges};
  }
  [[nodiscard]] std::span<const CallEdge> calls(StateId id) const {
    return {calls_.data() + states_[id].first_call, states_[id].n_calls};
  }
  [[nodiscard]] std::optional<StateId> next(StateId id, std::uint8_t byte) const;
  [[nodiscard]] StateId start_of(RuleId rule) const { return starts_[rule]; }
  [[nodiscard]] StateId start() const { return starts_[root_]; }

 private:
  friend class AutomatonBuilder;
  std::vector<State> states_;
  std::vector<ByteEdge> byte_edges_;
  std::vector<CallEdge> calls_;
  std::vector<StateId> starts_;  // by rule
  RuleId root_ = 0;
};

}  // namespace reckon::grammar
