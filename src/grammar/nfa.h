#pragma once
// One rule as a nondeterministic automaton over bytes and calls of other rules, by Thompson's construction.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "grammar/syntax.h"

namespace reckon::grammar {

struct ByteEdge {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::uint32_t target = 0;
};

// To `target` once all of `rule` has been read.
struct CallEdge {
  RuleId rule = 0;
  std::uint32_t target = 0;
};

struct NfaState {
  std::vector<ByteEdge> bytes;
  std::vector<CallEdge> calls;
  std::vector<std::uint32_t> empty;  // edges that read nothing
};

struct Nfa {
  std::vector<NfaState> states;  // the first is the start
  std::uint32_t end = 0;
};

// kLimit over `max_states`. Recursion is bounded by Syntax::check_limits, which has to hold.
[[nodiscard]] Result<Nfa> build_nfa(const Syntax& syntax, RuleId rule, std::size_t max_states);

}  // namespace reckon::grammar
