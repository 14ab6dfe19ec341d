#pragma once
// The regular part of ECMA-262 patterns, as JSON schemas use them, turned into the inside of a JSON string.
//
// Read: characters, . classes \d \w \s and their opposites, escapes \n \r \t \f \v \0 \xNN \uNNNN, groups (...) and
// (?:...), | * + ? {m} {m,} {m,n} (also lazy: the same texts fit). ^ only begins and $ only ends a whole alternative;
// without them anything may stand before and after, as in a search. Characters stand raw where JSON allows it, others
// in one spelling.

#include <string_view>

#include "base/result.h"
#include "grammar/json_parts.h"
#include "grammar/syntax.h"

namespace reckon::grammar {

// kInvalidInput: no pattern. kUnsupported: look-around, back references, \b, \p, named groups. kLimit.
[[nodiscard]] Result<NodeId> read_pattern(Syntax& syntax, JsonParts& parts, std::string_view pattern);

// The pattern of a `format`; empty where it is not known.
[[nodiscard]] std::string_view pattern_of_format(std::string_view format);

}  // namespace reckon::grammar
