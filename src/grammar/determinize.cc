#include "grammar/determinize.h"

#include <algorithm>
#include <bitset>
#include <unordered_map>

namespace reckon::grammar {
namespace {

using Subset = std::vector<std::uint32_t>;  // sorted

struct SubsetHash {
  std::size_t operator()(const Subset& subset) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const std::uint32_t x : subset) hash = (hash ^ x) * 0xFF51AFD7ED558CCDULL, hash ^= hash >> 32;
    return static_cast<std::size_t>(hash);
  }
};

class Determinizer {
 public:
  Determinizer(const Nfa& nfa, CompileBudget& budget) : nfa_(nfa), budget_(budget), mark_(nfa.states.size()) {}

  Result<std::vector<DfaState>> run() {
    id_of({0});
    for (std::size_t i = 0; i < subsets_.size() && !is_over_; ++i) expand(i);
    if (is_over_) return fail(ErrorCode::kLimit, "the grammar is too complex to compile: too many states");
    return std::move(states_);
  }

 private:
  bool spend(std::size_t& from, std::size_t n) {
    if (from < n) is_over_ = true;
    from -= std::min(from, n);
    return !is_over_;
  }

  // Follows edges that read nothing; keeps the states that read something or end.
  Subset close(const Subset& seeds) {
    ++round_;
    std::vector<std::uint32_t> todo;
    const auto visit = [&](std::uint32_t state) {
      if (mark_[state] == round_) return;
      mark_[state] = round_;
      todo.push_back(state);
    };
    for (const std::uint32_t seed : seeds) visit(seed);
    Subset kept;
    while (!todo.empty()) {
      const std::uint32_t at = todo.back();
      todo.pop_back();
      const NfaState& state = nfa_.states[at];
      if (!spend(budget_.steps, 1 + state.empty.size())) return {};
      if (at == nfa_.end || !state.bytes.empty() || !state.calls.empty()) kept.push_back(at);
      for (const std::uint32_t next : state.empty) visit(next);
    }
    std::ranges::sort(kept);
    return kept;
  }

  std::uint32_t id_of(const Subset& seeds) {
    Subset subset = close(seeds);
    if (is_over_ || !spend(budget_.steps, subset.size())) return 0;
    const auto [found, is_new] = ids_.try_emplace(std::move(subset), static_cast<std::uint32_t>(subsets_.size()));
    if (is_new && spend(budget_.states, 1)) {
      subsets_.push_back(&found->first);  // keys of an unordered_map stay where they are
      states_.emplace_back();
    }
    return found->second;
  }

  void expand(std::size_t i) {
    const Subset& subset = *subsets_[i];
    std::vector<ByteEdge> edges;
    std::vector<CallEdge> calls;
    std::bitset<257> cuts;  // where the set of targets may change
    for (const std::uint32_t at : subset) {
      const NfaState& state = nfa_.states[at];
      if (at == nfa_.end) states_[i].accepts = true;
      for (const ByteEdge& edge : state.bytes) {
        cuts.set(edge.first);
        cuts.set(edge.last + 1U);
        edges.push_back(edge);
      }
      calls.insert(calls.end(), state.calls.begin(), state.calls.end());
    }
    if (!spend(budget_.steps, edges.size() + calls.size() + 1)) return;
    expand_bytes(i, edges, cuts);
    std::ranges::sort(calls, {}, &CallEdge::rule);
    for (std::size_t a = 0; a < calls.size() && !is_over_;) {
      Subset targets;
      const RuleId rule = calls[a].rule;
      for (; a < calls.size() && calls[a].rule == rule; ++a) targets.push_back(calls[a].target);
      if (!spend(budget_.edges, 1)) return;
      const std::uint32_t target = id_of(targets);
      states_[i].calls.push_back({rule, target});
    }
  }

  void expand_bytes(std::size_t i, std::vector<ByteEdge>& edges, const std::bitset<257>& cuts) {
    std::ranges::sort(edges, {}, &ByteEdge::first);
    std::size_t n_begun = 0;
    std::vector<ByteEdge> open;
    Subset targets;
    for (unsigned byte = 0; byte < 256 && !is_over_; ++byte) {
      if (cuts[byte]) {
        std::erase_if(open, [byte](const ByteEdge& edge) { return edge.last < byte; });
        while (n_begun < edges.size() && edges[n_begun].first <= byte) open.push_back(edges[n_begun++]);
        targets.clear();
        for (const ByteEdge& edge : open) targets.push_back(edge.target);
        std::ranges::sort(targets);
        targets.erase(std::ranges::unique(targets).begin(), targets.end());
        if (!spend(budget_.steps, open.size() + 1)) return;
        if (!targets.empty()) {
          const auto first = static_cast<std::uint8_t>(byte);
          const std::uint32_t target = id_of(targets);
          auto& out = states_[i].bytes;
          if (!out.empty() && out.back().last + 1U == byte && out.back().target == target) {
            out.back().last = first;
          } else if (spend(budget_.edges, 1)) {
            out.push_back({first, first, target});
          }
        }
      } else if (!targets.empty()) {
        states_[i].bytes.back().last = static_cast<std::uint8_t>(byte);
      }
    }
  }

  const Nfa& nfa_;
  CompileBudget& budget_;
  std::vector<std::uint32_t> mark_;  // the round that last visited a state
  std::uint32_t round_ = 0;
  std::unordered_map<Subset, std::uint32_t, SubsetHash> ids_;
  std::vector<const Subset*> subsets_;
  std::vector<DfaState> states_;
  bool is_over_ = false;
};

}  // namespace

Result<std::vector<DfaState>> determinize(const Nfa& nfa, CompileBudget& budget) {
  return Determinizer(nfa, budget).run();
}

}  // namespace reckon::grammar
