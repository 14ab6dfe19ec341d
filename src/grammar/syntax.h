#pragma once
// A grammar as trees, one a rule: what the readers of GBNF and of JSON schemas make, and what is compiled.
// Nodes live in one array and are named by index; a node may have several parents, so it is never changed once made.
// Not thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reckon::grammar {

using NodeId = std::uint32_t;
using RuleId = std::uint32_t;

// Both ends belong to it.
struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

// Sorted, apart from each other, without surrogates.
using CodePointSet = std::vector<CodePointRange>;
[[nodiscard]] CodePointSet normalized(CodePointSet ranges);
[[nodiscard]] CodePointSet complement(const CodePointSet& normalized_ranges);
[[nodiscard]] bool contains(const CodePointSet& set, char32_t c);

enum class NodeKind : std::uint8_t {
  kLiteral,      // `text`, bytes of whole characters; may be empty
  kClass,        // one character of `set`; an empty set matches nothing
  kSequence,     // children in order
  kChoice,       // one of the children
  kRepeat,       // children[0], min..max times; max kUnbounded: as often as it likes
  kRule,         // another rule
  kMembers,      // a list with separator children[0]; the others in order, those marked optional may be left out, but
                 // not all; where `has_more`, the last child may come any number of times
  kOtherString,  // a JSON string without escapes that is none of `names`, with its quotes
};

inline constexpr std::uint32_t kUnbounded = 0xFFFF'FFFF;

struct Node {
  NodeKind kind = NodeKind::kSequence;
  bool has_more = false;
  std::uint16_t depth = 1;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  RuleId rule = 0;
  std::string text;
  CodePointSet set;
  std::vector<NodeId> children;
  std::vector<bool> optional;  // kMembers: by child but the separator
  std::vector<std::string> names;
};

struct Rule {
  std::string name;
  NodeId body = 0;
  bool is_defined = false;
  bool is_ours = false;  // its repetitions do not count as the user's
};

class Syntax {
 public:
  Syntax();  // node 0 is the empty text

  NodeId empty() const { return 0; }
  NodeId literal(std::string_view text);
  NodeId character_class(CodePointSet normalized_set);
  NodeId sequence(std::vector<NodeId> children);
  NodeId choice(std::vector<NodeId> children);
  NodeId repeat(NodeId child, std::uint32_t min, std::uint32_t max);
  NodeId optional(NodeId child) { return repeat(child, 0, 1); }
  NodeId rule_reference(RuleId rule);
  NodeId members(NodeId separator, std::vector<NodeId> items, std::vector<bool> optional, bool has_more);
  NodeId other_string(std::vector<std::string> names);

  RuleId add_rule(std::string name);  // a body comes later
  void define(RuleId rule, NodeId body);

  // kLimit where the trees are too many, too deep, or repeat too much.
  [[nodiscard]] Result<void> check_limits() const;

  const Node& node(NodeId id) const { return nodes_[id]; }
  [[nodiscard]] std::size_t n_nodes() const { return nodes_.size(); }
  std::vector<Rule> rules;
  RuleId root = 0;

 private:
  NodeId add(Node node);
  std::vector<Node> nodes_;
};

}  // namespace reckon::grammar
