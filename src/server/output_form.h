#pragma once
// What the answer (not the thought) must look like.

#include <cstdint>
#include <string>

namespace reckon::server {

struct OutputForm {
  enum class Kind : std::uint8_t { kText, kJsonObject, kJsonSchema, kGrammar };
  Kind kind = Kind::kText;
  std::string source;  // the schema as JSON text, or GBNF
  std::string field;   // whose field it came from, for messages
};

}  // namespace reckon::server
