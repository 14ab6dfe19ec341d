#include "grammar/json_parts.h"

#include <algorithm>

#include "text/json.h"

namespace reckon::grammar {
namespace {

const CodePointSet& plain_characters() {
  static const CodePointSet set = complement({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
  return set;
}

CodePointSet intersection(const CodePointSet& a, const CodePointSet& b) {
  CodePointSet out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const char32_t first = std::max(a[i].first, b[j].first);
    const char32_t last = std::min(a[i].last, b[j].last);
    if (first <= last) out.push_back({first, last});
    (a[i].last < b[j].last ? i : j) += 1;
  }
  return out;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out;
  text::append_json_string(out, text);
  return out;
}

template <class Make>
NodeId JsonParts::rule(const std::string& name, Make make) {
  if (const auto known = made_.find(name); known != made_.end()) return known->second;
  const RuleId id = syntax_->add_rule(name);
  syntax_->rules[id].is_ours = true;
  const NodeId reference = syntax_->rule_reference(id);
  made_.emplace(name, reference);  // before the body, which may refer to it
  syntax_->define(id, make());
  return reference;
}

NodeId JsonParts::space() {
  return rule("white space", [this] {
    const NodeId blanks = syntax_->repeat(syntax_->literal(" "), 0, 32);
    const NodeId tabs = syntax_->repeat(syntax_->literal("\t"), 1, 8);
    const NodeId line = syntax_->sequence({syntax_->literal("\n"), syntax_->choice({blanks, tabs})});
    return syntax_->choice({syntax_->empty(), syntax_->literal(" "), line});
  });
}

NodeId JsonParts::comma() { return syntax_->sequence({syntax_->literal(","), space()}); }

NodeId JsonParts::member(NodeId name, NodeId value) {
  return syntax_->sequence({name, syntax_->literal(":"), syntax_->optional(syntax_->literal(" ")), value});
}

NodeId JsonParts::bracketed(char open, std::optional<NodeId> body, bool may_be_empty, char close) {
  const NodeId end = syntax_->literal(std::string_view(&close, 1));
  std::vector<NodeId> choices;
  if (may_be_empty) choices.push_back(end);
  if (body) choices.push_back(syntax_->sequence({*body, space(), end}));
  return syntax_->sequence(
      {syntax_->literal(std::string_view(&open, 1)), space(), syntax_->choice(std::move(choices))});
}

NodeId JsonParts::repeated_member(NodeId item) {
  return syntax_->sequence({item, syntax_->repeat(syntax_->sequence({comma(), item}), 0, kUnbounded)});
}

NodeId JsonParts::value() {
  return rule("any value",
              [this] { return syntax_->choice({object(), array(), string(), number(), boolean(), null()}); });
}

NodeId JsonParts::object() {
  return rule("any object", [this] { return bracketed('{', repeated_member(member(string(), value())), true, '}'); });
}

NodeId JsonParts::array() {
  return rule("any array", [this] { return bracketed('[', repeated_member(value()), true, ']'); });
}

NodeId JsonParts::string_character() {
  const auto known = made_.find("character");
  if (known != made_.end()) return known->second;
  const NodeId any = syntax_->character_class({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
  const NodeId not_d = syntax_->character_class({{'0', '9'}, {'A', 'C'}, {'E', 'F'}, {'a', 'c'}, {'e', 'f'}});
  const NodeId d = syntax_->character_class({{'D', 'D'}, {'d', 'd'}});
  const NodeId low_digit = syntax_->character_class({{'0', '7'}});
  const NodeId high_half = syntax_->character_class({{'8', '9'}, {'A', 'B'}, {'a', 'b'}});
  const NodeId low_half = syntax_->character_class({{'C', 'F'}, {'c', 'f'}});
  // A surrogate only as a pair.
  const NodeId pair = syntax_->sequence({d, high_half, any, any, syntax_->literal("\\u"), d, low_half, any, any});
  const NodeId unicode =
      syntax_->sequence({syntax_->literal("u"), syntax_->choice({syntax_->sequence({not_d, any, any, any}),
                                                                 syntax_->sequence({d, low_digit, any, any}), pair})});
  const NodeId letter = syntax_->character_class(
      normalized({{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', 'b'}, {'f', 'f'}, {'n', 'n'}, {'r', 'r'}, {'t', 't'}}));
  const NodeId escape = syntax_->sequence({syntax_->literal("\\"), syntax_->choice({letter, unicode})});
  const NodeId node = syntax_->choice({syntax_->character_class(plain_characters()), escape});
  made_.emplace("character", node);
  return node;
}

NodeId JsonParts::string_class(const CodePointSet& set) {
  std::vector<NodeId> choices = {syntax_->character_class(intersection(set, plain_characters()))};
  for (const CodePointRange& range : set) {
    for (char32_t c = range.first; c <= std::min<char32_t>(range.last, '\\'); ++c) {
      if (contains(plain_characters(), c)) continue;
      const std::string text = json_quoted(std::string(1, static_cast<char>(c)));
      choices.push_back(syntax_->literal(std::string_view(text).substr(1, text.size() - 2)));
    }
  }
  return syntax_->choice(std::move(choices));
}

NodeId JsonParts::string() {
  return rule("any string", [this] {
    const NodeId quote = syntax_->literal("\"");
    return syntax_->sequence({quote, syntax_->repeat(string_character(), 0, kUnbounded), quote});
  });
}

NodeId JsonParts::integer() {
  return rule("any integer", [this] {
    const NodeId digit = syntax_->character_class({{'0', '9'}});
    const NodeId first = syntax_->character_class({{'1', '9'}});
    return syntax_->choice({syntax_->literal("0"), syntax_->sequence({syntax_->optional(syntax_->literal("-")), first,
                                                                      syntax_->repeat(digit, 0, 15)})});
  });
}

NodeId JsonParts::number() {
  return rule("any number", [this] {
    const NodeId digit = syntax_->character_class({{'0', '9'}});
    const NodeId first = syntax_->character_class({{'1', '9'}});
    const NodeId whole =
        syntax_->choice({syntax_->literal("0"), syntax_->sequence({first, syntax_->repeat(digit, 0, 15)})});
    const NodeId fraction = syntax_->sequence({syntax_->literal("."), syntax_->repeat(digit, 1, 16)});
    const NodeId sign = syntax_->character_class({{'+', '+'}, {'-', '-'}});
    const NodeId exponent = syntax_->sequence(
        {syntax_->character_class({{'E', 'E'}, {'e', 'e'}}), syntax_->optional(sign), syntax_->repeat(digit, 1, 2)});
    return syntax_->sequence(
        {syntax_->optional(syntax_->literal("-")), whole, syntax_->optional(fraction), syntax_->optional(exponent)});
  });
}

NodeId JsonParts::boolean() {
  return rule("boolean", [this] { return syntax_->choice({syntax_->literal("true"), syntax_->literal("false")}); });
}

NodeId JsonParts::null() { return syntax_->literal("null"); }

}  // namespace reckon::grammar
