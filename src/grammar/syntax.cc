#include "grammar/syntax.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/limits.h"

namespace reckon::grammar {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

void append_without_surrogates(CodePointSet& out, char32_t first, char32_t last) {
  const auto append = [&](char32_t a, char32_t b) {
    if (a > b) return;
    if (!out.empty() && out.back().last + 1 >= a) {
      out.back().last = std::max(out.back().last, b);
    } else {
      out.push_back({a, b});
    }
  };
  append(first, std::min<char32_t>(last, 0xD7FF));
  append(std::max<char32_t>(first, 0xE000), std::min(last, kLastCodePoint));
}

// How many copies the repetitions under `id` make. Each node is visited once: a shared one counts at each place.
struct RepetitionCount {
  const Syntax& syntax;
  std::size_t n_visits = 0;

  std::uint64_t count(NodeId id, std::uint64_t factor) {
    const Node& node = syntax.node(id);
    if (++n_visits > kMaxNodes) return kMaxRepetition + 1;
    std::uint64_t total = 0;
    if (node.kind == NodeKind::kRepeat) {
      const std::uint64_t copies = node.max == kUnbounded ? node.min : node.max;
      if (copies > 1) {
        factor *= copies;  // both at most 2^32 and 2001
        if (factor > kMaxRepetition) return kMaxRepetition + 1;
        total += factor;
      }
    }
    for (const NodeId child : node.children) {
      total += count(child, factor);
      if (total > kMaxRepetition) return kMaxRepetition + 1;
    }
    return total;
  }
};

}  // namespace

CodePointSet normalized(CodePointSet ranges) {
  std::ranges::sort(ranges, {}, &CodePointRange::first);
  CodePointSet out;
  for (const CodePointRange& range : ranges) append_without_surrogates(out, range.first, range.last);
  return out;
}

CodePointSet complement(const CodePointSet& normalized_ranges) {
  CodePointSet out;
  char32_t next = 0;
  for (const CodePointRange& range : normalized_ranges) {
    if (range.first > next) append_without_surrogates(out, next, range.first - 1);
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) append_without_surrogates(out, next, kLastCodePoint);
  // Two pieces around the surrogates must stay apart; joining happens only for neighbours, which they are not.
  return out;
}

bool contains(const CodePointSet& set, char32_t c) {
  return std::ranges::any_of(set, [c](const CodePointRange& range) { return range.first <= c && c <= range.last; });
}

Syntax::Syntax() { nodes_.emplace_back(); }

NodeId Syntax::add(Node node) {
  std::uint16_t depth = 0;
  for (const NodeId child : node.children) depth = std::max(depth, nodes_[child].depth);
  // Past the limits nothing grows any more; check_limits() then refuses the whole.
  if (depth > kMaxNodeDepth) node.children.clear();
  node.depth = static_cast<std::uint16_t>(depth + 1);
  if (nodes_.size() > kMaxNodes) return 0;
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Syntax::literal(std::string_view text) {
  Node node;
  node.kind = NodeKind::kLiteral;
  node.text = text;
  return add(std::move(node));
}

NodeId Syntax::character_class(CodePointSet normalized_set) {
  Node node;
  node.kind = NodeKind::kClass;
  node.set = std::move(normalized_set);
  return add(std::move(node));
}

NodeId Syntax::sequence(std::vector<NodeId> children) {
  if (children.size() == 1) return children[0];
  Node node;
  node.kind = NodeKind::kSequence;
  node.children = std::move(children);
  return add(std::move(node));
}

NodeId Syntax::choice(std::vector<NodeId> children) {
  if (children.size() == 1) return children[0];
  Node node;
  node.kind = NodeKind::kChoice;
  node.children = std::move(children);
  return add(std::move(node));
}

NodeId Syntax::repeat(NodeId child, std::uint32_t min, std::uint32_t max) {
  Node node;
  node.kind = NodeKind::kRepeat;
  node.min = min;
  node.max = max;
  node.children = {child};
  return add(std::move(node));
}

NodeId Syntax::rule_reference(RuleId rule) {
  Node node;
  node.kind = NodeKind::kRule;
  node.rule = rule;
  return add(std::move(node));
}

NodeId Syntax::members(NodeId separator, std::vector<NodeId> items, std::vector<bool> optional, bool has_more) {
  Node node;
  node.kind = NodeKind::kMembers;
  node.has_more = has_more;
  node.children.push_back(separator);
  node.children.insert(node.children.end(), items.begin(), items.end());
  node.optional = std::move(optional);
  return add(std::move(node));
}

NodeId Syntax::other_string(std::vector<std::string> names) {
  Node node;
  node.kind = NodeKind::kOtherString;
  node.names = std::move(names);
  return add(std::move(node));
}

RuleId Syntax::add_rule(std::string name) {
  rules.push_back({std::move(name), 0, false, false});
  return static_cast<RuleId>(rules.size() - 1);
}

void Syntax::define(RuleId rule, NodeId body) {
  rules[rule].body = body;
  rules[rule].is_defined = true;
}

Result<void> Syntax::check_limits() const {
  if (rules.size() > kMaxRules) return fail(ErrorCode::kLimit, fmt::format("more than {} rules", kMaxRules));
  if (nodes_.size() > kMaxNodes) return fail(ErrorCode::kLimit, "the grammar is too large");
  RepetitionCount repetitions{*this};
  std::uint64_t total = 0;
  for (const Rule& rule : rules) {
    if (nodes_[rule.body].depth > kMaxNodeDepth) {
      return fail(ErrorCode::kLimit, fmt::format("rule \"{}\" is nested too deep", rule.name));
    }
    if (rule.is_ours) continue;
    total += repetitions.count(rule.body, 1);
    if (total > kMaxRepetition) {
      return fail(ErrorCode::kLimit,
                  fmt::format("repetitions make more than {} copies in total, at rule \"{}\"; nested "
                              "ones multiply",
                              kMaxRepetition, rule.name));
    }
  }
  return {};
}

}  // namespace reckon::grammar
