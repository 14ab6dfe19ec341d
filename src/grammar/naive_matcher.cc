#include "grammar/naive_matcher.h"

#include <algorithm>

#include "text/utf8.h"

namespace reckon::grammar {
namespace {

// Whether some character of the set has UTF-8 that begins with these bytes: tries all of them.
bool some_character_begins(const CodePointSet& set, std::string_view bytes) {
  std::string text;
  const auto tried = [&](char32_t c) {
    text.clear();
    text::append_utf8(text, c);
    return text.starts_with(bytes);
  };
  for (const CodePointRange& range : set) {
    // Characters in order have their UTF-8 in order, so the first one that is not less decides.
    char32_t low = range.first;
    char32_t high = range.last;
    while (low < high) {
      const char32_t middle = low + (high - low) / 2;
      text.clear();
      text::append_utf8(text, middle);
      if (std::string_view(text) < bytes) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (tried(low)) return true;
  }
  return false;
}

// Of a JSON string that has begun: its first quote and what follows. Never more than one way.
bool other_string_goes_on(const Node& node, std::string_view begun, bool& is_whole) {
  is_whole = false;
  if (begun[0] != '"') return false;
  const std::string_view inside = begun.substr(1);
  const CodePointSet plain = complement({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
  for (std::size_t i = 0; i < inside.size();) {
    if (inside[i] == '"') {
      is_whole = std::ranges::find(node.names, inside.substr(0, i)) == node.names.end();
      return is_whole && i + 1 == inside.size();
    }
    const text::Decoded c = text::decode_utf8(inside, i);
    if (!c.valid) return c.truncated && some_character_begins(plain, inside.substr(i));
    if (!contains(plain, c.code_point)) return false;
    i += c.length;
  }
  return true;
}

}  // namespace

NaiveMatcher::NaiveMatcher(const Syntax& syntax) : syntax_(&syntax) {
  std::set<Way> seen;
  expand({{{syntax.rules[syntax.root].body, 0, false}}, {}}, ways_, seen);
}

bool NaiveMatcher::is_complete() const {
  return std::ranges::any_of(ways_, [](const Way& way) { return way.todo.empty(); });
}

bool NaiveMatcher::accept(std::string_view bytes) {
  std::set<Way> now = ways_;
  for (const char byte : bytes) {
    std::set<Way> next;
    std::set<Way> seen;
    for (const Way& way : now) {
      Way after;
      if (!step(way, byte, after)) continue;
      if (after.begun.empty()) {
        expand(std::move(after), next, seen);
      } else {
        next.insert(std::move(after));
      }
    }
    now = std::move(next);
  }
  if (now.empty()) return false;
  ways_ = std::move(now);
  return true;
}

// Replaces the next part by what it is made of until it is a literal's byte or a class.
void NaiveMatcher::expand(Way way, std::set<Way>& out, std::set<Way>& seen) const {
  if (!seen.insert(way).second) return;
  if (way.todo.empty()) {
    out.insert(std::move(way));
    return;
  }
  const Part part = way.todo.back();
  const Node& node = syntax_->node(part.node);
  Way rest = way;
  rest.todo.pop_back();
  const auto with = [&rest](std::initializer_list<Part> parts) {
    Way made = rest;
    made.todo.insert(made.todo.end(), parts);
    return made;
  };
  switch (node.kind) {
    case NodeKind::kLiteral:
      if (part.at < node.text.size()) {
        out.insert(std::move(way));
      } else {
        expand(std::move(rest), out, seen);
      }
      return;
    case NodeKind::kClass:
    case NodeKind::kOtherString:
      out.insert(std::move(way));
      return;
    case NodeKind::kSequence:
      if (part.at == node.children.size()) return expand(std::move(rest), out, seen);
      return expand(with({{part.node, part.at + 1, false}, {node.children[part.at], 0, false}}), out, seen);
    case NodeKind::kChoice:
      for (const NodeId child : node.children) expand(with({{child, 0, false}}), out, seen);
      return;
    case NodeKind::kRepeat:
      if (part.at >= node.min) expand(rest, out, seen);
      if (node.max == kUnbounded) {
        const std::uint32_t done = std::min(part.at + 1, node.min);
        expand(with({{part.node, done, false}, {node.children[0], 0, false}}), out, seen);
      } else if (part.at < node.max) {
        expand(with({{part.node, part.at + 1, false}, {node.children[0], 0, false}}), out, seen);
      }
      return;
    case NodeKind::kRule:
      return expand(with({{syntax_->rules[node.rule].body, 0, false}}), out, seen);
    case NodeKind::kMembers:
      return expand_members(node, rest, part, out, seen);
  }
}

void NaiveMatcher::expand_members(const Node& node, const Way& rest, Part part, std::set<Way>& out,
                                  std::set<Way>& seen) const {
  const std::size_t n = node.children.size() - 1;
  if (part.at == n) {
    if (part.flag) expand(rest, out, seen);
    return;
  }
  const bool is_more = node.has_more && part.at + 1 == n;
  if (node.optional[part.at]) {
    Way skipped = rest;
    skipped.todo.push_back({part.node, part.at + 1, part.flag});
    expand(std::move(skipped), out, seen);
  }
  Way written = rest;
  written.todo.push_back({part.node, is_more ? part.at : part.at + 1, true});
  written.todo.push_back({node.children[part.at + 1], 0, false});
  if (part.flag) written.todo.push_back({node.children[0], 0, false});
  expand(std::move(written), out, seen);
}

bool NaiveMatcher::step(const Way& way, char byte, Way& next) const {
  if (way.todo.empty()) return false;
  const Node& node = syntax_->node(way.todo.back().node);
  next = way;
  if (node.kind == NodeKind::kLiteral) {
    if (node.text[way.todo.back().at] != byte) return false;
    ++next.todo.back().at;
    return true;
  }
  next.begun += byte;
  bool is_whole = false;
  if (node.kind == NodeKind::kOtherString) {
    if (!other_string_goes_on(node, next.begun, is_whole)) return false;
  } else {
    if (!some_character_begins(node.set, next.begun)) return false;
    is_whole = text::is_valid_utf8(next.begun);
  }
  if (is_whole) {
    next.begun.clear();
    next.todo.pop_back();
  }
  return true;
}

}  // namespace reckon::grammar
