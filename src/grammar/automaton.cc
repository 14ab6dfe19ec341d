#include "grammar/automaton.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "grammar/determinize.h"
#include "grammar/limits.h"

namespace reckon::grammar {

// Steps: each rule that is used becomes a deterministic automaton; what cannot reach the end of its rule is cut off;
// rules that can call themselves before reading a byte are refused; the rest is laid out flat.
class AutomatonBuilder {
 public:
  explicit AutomatonBuilder(const Syntax& syntax) : syntax_(syntax), starts_(syntax.rules.size(), kNoState) {}

  Result<Automaton> build() {
    RECKON_TRY_VOID(syntax_.check_limits());
    RECKON_TRY_VOID(build_rules());
    productive_ = reaching_the_end(true);
    if (!productive_[starts_[syntax_.root]]) {
      RECKON_TRY_VOID(refuse_left_recursion());  // the more useful message
      return fail(ErrorCode::kInvalidInput, "no finite text fits the grammar");
    }
    cut_unproductive();
    RECKON_TRY_VOID(refuse_left_recursion());
    return lay_out();
  }

 private:
  static constexpr StateId kNoState = 0xFFFF'FFFF;

  Result<void> build_rules() {
    CompileBudget budget{kMaxStates, kMaxEdges, kMaxCompileSteps};
    std::size_t nfa_states_left = kMaxNfaStates;
    std::vector<RuleId> todo = {syntax_.root};
    std::vector<bool> is_seen(syntax_.rules.size());
    is_seen[syntax_.root] = true;
    while (!todo.empty()) {
      const RuleId rule = todo.back();
      todo.pop_back();
      RECKON_TRY(const Nfa nfa, build_nfa(syntax_, rule, nfa_states_left));
      nfa_states_left -= nfa.states.size();
      RECKON_TRY(std::vector<DfaState> states, determinize(nfa, budget));
      const auto base = static_cast<StateId>(states_.size());
      starts_[rule] = base;
      for (DfaState& state : states) {
        for (ByteEdge& edge : state.bytes) edge.target += base;
        for (CallEdge& call : state.calls) {
          call.target += base;
          if (!is_seen[call.rule]) todo.push_back(call.rule);
          is_seen[call.rule] = true;
        }
        states_.push_back(std::move(state));
        rule_of_.push_back(rule);
      }
    }
    return {};
  }

  // The states from which the end of their rule can be reached, with byte edges or by calls alone. Backwards from those
  // that accept; a call leads on once its rule and its target are both known.
  std::vector<bool> reaching_the_end(bool with_bytes) const {
    struct Call {
      StateId from;
      RuleId rule;
      StateId target;
    };
    std::vector<std::vector<StateId>> by_target(states_.size());
    std::vector<std::vector<Call>> calls_by_target(states_.size());
    std::vector<std::vector<Call>> calls_by_rule(syntax_.rules.size());
    for (StateId s = 0; s < states_.size(); ++s) {
      for (const ByteEdge& edge : states_[s].bytes) {
        if (with_bytes) by_target[edge.target].push_back(s);
      }
      for (const CallEdge& call : states_[s].calls) {
        calls_by_target[call.target].push_back({s, call.rule, call.target});
        calls_by_rule[call.rule].push_back({s, call.rule, call.target});
      }
    }
    std::vector<bool> reaches(states_.size());
    std::vector<StateId> todo;
    const auto mark = [&](StateId s) {
      if (reaches[s]) return;
      reaches[s] = true;
      todo.push_back(s);
    };
    for (StateId s = 0; s < states_.size(); ++s) {
      if (states_[s].accepts) mark(s);
    }
    while (!todo.empty()) {
      const StateId s = todo.back();
      todo.pop_back();
      for (const StateId from : by_target[s]) mark(from);
      for (const Call& call : calls_by_target[s]) {
        if (reaches[starts_[call.rule]]) mark(call.from);
      }
      if (starts_[rule_of_[s]] != s) continue;
      for (const Call& call : calls_by_rule[rule_of_[s]]) {
        if (reaches[call.target]) mark(call.from);
      }
    }
    return reaches;
  }

  void cut_unproductive() {
    for (DfaState& state : states_) {
      std::erase_if(state.bytes, [&](const ByteEdge& edge) { return !productive_[edge.target]; });
      std::erase_if(state.calls, [&](const CallEdge& call) {
        return !productive_[call.target] || !productive_[starts_[call.rule]];
      });
    }
  }

  // The rules that `rule` may call before it has read a byte. Each state is passed at most once in all: states belong
  // to one rule.
  std::vector<RuleId> first_calls(RuleId rule, const std::vector<bool>& is_nullable) const {
    std::vector<RuleId> out;
    std::vector<StateId> todo = {starts_[rule]};
    std::unordered_set<StateId> seen = {starts_[rule]};
    while (!todo.empty()) {
      const StateId s = todo.back();
      todo.pop_back();
      for (const CallEdge& call : states_[s].calls) {
        out.push_back(call.rule);
        if (is_nullable[starts_[call.rule]] && seen.insert(call.target).second) todo.push_back(call.target);
      }
    }
    return out;
  }

  Result<void> refuse_left_recursion() const {
    const std::vector<bool> is_nullable = reaching_the_end(false);
    std::vector<std::vector<RuleId>> calls(starts_.size());
    for (RuleId rule = 0; rule < starts_.size(); ++rule) {
      if (starts_[rule] != kNoState) calls[rule] = first_calls(rule, is_nullable);
    }
    // Depth first with a stack of our own: a rule that is met while it is still open is left-recursive.
    enum class Colour : std::uint8_t { kNew, kOpen, kDone };
    std::vector<Colour> colour(starts_.size(), Colour::kNew);
    std::vector<std::pair<RuleId, std::size_t>> path;
    for (RuleId begin = 0; begin < starts_.size(); ++begin) {
      if (colour[begin] != Colour::kNew) continue;
      path.emplace_back(begin, 0);
      colour[begin] = Colour::kOpen;
      while (!path.empty()) {
        auto& [rule, next] = path.back();
        if (next == calls[rule].size()) {
          colour[rule] = Colour::kDone;
          path.pop_back();
          continue;
        }
        const RuleId callee = calls[rule][next++];
        if (colour[callee] == Colour::kOpen) {
          return fail(ErrorCode::kInvalidInput,
                      fmt::format("\"{}\" is left-recursive: it can begin with itself", syntax_.rules[callee].name));
        }
        if (colour[callee] == Colour::kNew) {
          colour[callee] = Colour::kOpen;
          path.emplace_back(callee, 0);
        }
      }
    }
    return {};
  }

  Automaton lay_out() {
    Automaton automaton;
    for (const DfaState& from : states_) {
      State state;
      state.first_byte_edge = static_cast<std::uint32_t>(automaton.byte_edges_.size());
      state.first_call = static_cast<std::uint32_t>(automaton.calls_.size());
      state.n_byte_edges = static_cast<std::uint32_t>(from.bytes.size());
      state.n_calls = static_cast<std::uint32_t>(from.calls.size());
      state.accepts = from.accepts;
      state.ends_always = from.accepts && from.bytes.empty() && from.calls.empty();
      automaton.byte_edges_.insert(automaton.byte_edges_.end(), from.bytes.begin(), from.bytes.end());
      automaton.calls_.insert(automaton.calls_.end(), from.calls.begin(), from.calls.end());
      automaton.states_.push_back(state);
    }
    automaton.starts_ = starts_;
    automaton.root_ = syntax_.root;
    return automaton;
  }

  const Syntax& syntax_;
  std::vector<DfaState> states_;  // of all rules
  std::vector<RuleId> rule_of_;   // by state
  std::vector<StateId> starts_;   // by rule; kNoState: not used
  std::vector<bool> productive_;
};

Result<Automaton> Automaton::compile(const Syntax& syntax) { return AutomatonBuilder(syntax).build(); }

std::optional<StateId> Automaton::next(StateId id, std::uint8_t byte) const {
  for (const ByteEdge& edge : byte_edges(id)) {
    if (byte < edge.first) break;
    if (byte <= edge.last) return edge.target;
  }
  return std::nullopt;
}

}  // namespace reckon::grammar
