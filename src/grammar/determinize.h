#pragma once
// The subset construction, with calls as letters of their own.

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "grammar/nfa.h"

namespace reckon::grammar {

struct DfaState {
  std::vector<ByteEdge> bytes;  // sorted, apart from each other
  std::vector<CallEdge> calls;  // a rule once
  bool accepts = false;
};

// What is left for a whole grammar; each rule takes its share.
struct CompileBudget {
  std::size_t states;
  std::size_t edges;
  std::size_t steps;
};

// The first state is the start. kLimit where the budget does not suffice: some automata have 2^n subsets.
[[nodiscard]] Result<std::vector<DfaState>> determinize(const Nfa& nfa, CompileBudget& budget);

}  // namespace reckon::grammar
