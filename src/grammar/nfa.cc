#include "grammar/nfa.h"

#include <map>
#include <tuple>

#include "grammar/limits.h"
#include "grammar/utf8_ranges.h"
#include "text/utf8.h"

namespace reckon::grammar {
namespace {

using StateId = std::uint32_t;

// Each build function reads on from one state and gives the state where it ends. A state from which a loop starts is
// always a new one, so that what begins at the same place does not get into the loop.
class Builder {
 public:
  Builder(const Syntax& syntax, std::size_t max_states) : syntax_(syntax), max_states_(max_states) { add(); }

  Result<Nfa> build(RuleId rule) {
    nfa_.end = build_node(syntax_.rules[rule].body, 0);
    if (is_over_) return fail(ErrorCode::kLimit, "the grammar is too large once its repetitions are written out");
    return std::move(nfa_);
  }

 private:
  StateId add() {
    if (nfa_.states.size() >= max_states_) {
      is_over_ = true;
      return 0;
    }
    nfa_.states.emplace_back();
    return static_cast<StateId>(nfa_.states.size() - 1);
  }
  void link(StateId from, StateId to) { nfa_.states[from].empty.push_back(to); }
  void link(StateId from, ByteRange range, StateId to) {
    nfa_.states[from].bytes.push_back({range.first, range.last, to});
  }

  StateId build_node(NodeId id, StateId from) {
    if (is_over_) return from;
    const Node& node = syntax_.node(id);
    switch (node.kind) {
      case NodeKind::kLiteral:
        return build_literal(node.text, from);
      case NodeKind::kClass: {
        const StateId end = add();
        build_class(node.set, from, end);
        return end;
      }
      case NodeKind::kSequence:
        for (const NodeId child : node.children) from = build_node(child, from);
        return from;
      case NodeKind::kChoice: {
        const StateId end = add();
        for (const NodeId child : node.children) link(build_node(child, from), end);
        return end;
      }
      case NodeKind::kRepeat:
        return build_repeat(node, from);
      case NodeKind::kRule: {
        const StateId end = add();
        nfa_.states[from].calls.push_back({node.rule, end});
        return end;
      }
      case NodeKind::kMembers:
        return build_members(node, from);
      case NodeKind::kOtherString:
        return build_other_string(node.names, from);
    }
    return from;
  }

  StateId build_literal(std::string_view text, StateId from) {
    for (const char c : text) {
      const StateId next = add();
      link(from, {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c)}, next);
      from = next;
    }
    return from;
  }

  // The ends of equal tails are shared: a class costs a few states, whatever its size.
  void build_class(const CodePointSet& set, StateId from, StateId end) {
    std::map<std::tuple<std::uint8_t, std::uint8_t, StateId>, StateId> tails;
    for (const ByteRanges& ranges : utf8_ranges(set)) {
      StateId next = end;
      for (int i = ranges.length - 1; i > 0; --i) {
        const ByteRange range = ranges.bytes[static_cast<std::size_t>(i)];
        const auto [tail, is_new] = tails.try_emplace({range.first, range.last, next}, 0);
        if (is_new) {
          tail->second = add();
          link(tail->second, range, next);
        }
        next = tail->second;
      }
      link(from, ranges.bytes[0], next);
    }
  }

  StateId build_repeat(const Node& node, StateId from) {
    const NodeId child = node.children[0];
    const bool is_endless = node.max == kUnbounded;
    const std::uint32_t n_plain = is_endless && node.min > 0 ? node.min - 1 : node.min;
    for (std::uint32_t i = 0; i < n_plain && !is_over_; ++i) from = build_node(child, from);
    if (is_endless) {
      const StateId loop = add();
      link(from, loop);
      const StateId after = build_node(child, loop);
      link(after, loop);
      if (node.min == 0) return loop;
      const StateId end = add();
      link(after, end);
      return end;
    }
    if (node.max == node.min) return from;
    const StateId end = add();
    for (std::uint32_t i = node.min; i < node.max && !is_over_; ++i) {
      link(from, end);
      const StateId begin = add();
      link(from, begin);
      from = build_node(child, begin);
    }
    link(from, end);
    return end;
  }

  // Two rows of states, "nothing is written yet" and "something is": only the second needs a separator.
  StateId build_members(const Node& node, StateId from) {
    const NodeId separator = node.children[0];
    StateId first = from;
    StateId later = 0;
    bool has_later = false;
    const std::size_t n = node.children.size() - 1;
    for (std::size_t i = 0; i < n && !is_over_; ++i) {
      const StateId item = add();
      const bool is_more = node.has_more && i + 1 == n;
      if (first != kNone) link(first, item);
      if (has_later) link(build_node(separator, later), item);
      const StateId written = build_node(node.children[i + 1], item);
      const StateId next = add();
      link(written, next);
      if (is_more) link(build_node(separator, next), item);
      if (node.optional[i]) {
        if (has_later) link(later, next);
      } else {
        first = kNone;
      }
      later = next;
      has_later = true;
    }
    const StateId end = add();
    if (has_later) link(later, end);  // not from `first`: a list of nothing is not a list
    return end;
  }

  // A tree of the names' characters; who leaves it, or stops where no name stops, is none of them.
  StateId build_other_string(const std::vector<std::string>& names, StateId from) {
    const CodePointSet plain = complement({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
    struct Branch {
      StateId state;
      std::map<char32_t, std::size_t> next;
      bool is_name = false;
    };
    const StateId end = add();
    const StateId off = add();  // inside a string that can no longer be a name
    std::vector<Branch> tree;
    tree.push_back({build_literal("\"", from), {}, false});
    for (const std::string& name : names) {
      std::size_t at = 0;
      bool is_plain = true;
      for (std::size_t i = 0; i < name.size() && is_plain && !is_over_;) {
        const text::Decoded c = text::decode_utf8(name, i);
        is_plain = c.valid && contains(plain, c.code_point);
        if (!is_plain) break;
        i += c.length;
        const auto [step, is_new] = tree[at].next.try_emplace(c.code_point, tree.size());
        const std::size_t next = step->second;
        if (is_new) tree.push_back({add(), {}, false});
        at = next;
      }
      if (is_plain) tree[at].is_name = true;
    }
    for (const Branch& branch : tree) {
      CodePointSet taken = {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}};
      for (const auto& [c, next] : branch.next) {
        taken.push_back({c, c});
        build_class({{c, c}}, branch.state, tree[next].state);
      }
      build_class(complement(normalized(taken)), branch.state, off);
      if (!branch.is_name) link(branch.state, {'"', '"'}, end);
    }
    build_class(plain, off, off);
    link(off, {'"', '"'}, end);
    return end;
  }

  static constexpr StateId kNone = 0xFFFF'FFFF;
  const Syntax& syntax_;
  std::size_t max_states_;
  Nfa nfa_;
  bool is_over_ = false;
};

}  // namespace

Result<Nfa> build_nfa(const Syntax& syntax, RuleId rule, std::size_t max_states) {
  return Builder(syntax, max_states).build(rule);
}

}  // namespace reckon::grammar
