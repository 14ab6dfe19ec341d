#pragma once
// The pieces of JSON texts, as nodes of a grammar. Rules are made when first asked for.
//
// White space: none, or one blank after : and ,; after { [ , and before } ] also a line break with at most 32 blanks or
// 8 tabs. So a model can neither be forced into a layout that it was not trained on, nor write blanks for ever.
// Numbers: at most 16 digits before and after the point and two in the exponent, so that they end.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/syntax.h"

namespace reckon::grammar {

class JsonParts {
 public:
  explicit JsonParts(Syntax& syntax) : syntax_(&syntax) {}

  NodeId value();   // any
  NodeId object();  // any
  NodeId array();   // any
  NodeId string();  // any; no lone surrogates
  NodeId number();
  NodeId integer();
  NodeId boolean();
  NodeId null();

  // What a character class is inside a string: characters that need it are escaped, in one way; others stand raw.
  NodeId string_class(const CodePointSet& set);
  // One character of a string, in any spelling.
  NodeId string_character();
  // A line break in a layout, or nothing.
  NodeId space();
  // A comma and white space.
  NodeId comma();
  // "name": value
  NodeId member(NodeId name, NodeId value);
  // A list in brackets; `body`: 0 for none. An empty one only where `may_be_empty`.
  NodeId bracketed(char open, std::optional<NodeId> body, bool may_be_empty, char close);

 private:
  // The reference to a rule of ours, made by `make` when it is asked for the first time.
  template <class Make>
  NodeId rule(const std::string& name, Make make);
  NodeId repeated_member(NodeId item);

  Syntax* syntax_;
  std::map<std::string, NodeId> made_;
};

// `text` as a JSON string, with its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace reckon::grammar
