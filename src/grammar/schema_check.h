#pragma once
// For tests: does a JSON value fit a schema? Written from the standard's text, not from the grammar; only the keywords
// that schemas of the tests use. Recursion is bounded by the depth of value and schema.

#include <string>

#include "text/json.h"

namespace reckon::grammar {

// Empty where it fits; else what does not.
[[nodiscard]] std::string misfit(const text::Json& value, const text::Json& schema, const text::Json& root);

}  // namespace reckon::grammar
