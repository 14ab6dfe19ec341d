#pragma once
// A JSON schema (draft 2020-12) as a grammar: each text of the grammar fits the schema. Where the schema leaves a
// choice that no one needs, the grammar is narrower:
//   - members come in the order of `properties`; those that are not required may be left out
//   - no members but `properties`, where additionalProperties is not there; other names, where it is, have no escapes
//   - no items but `prefixItems`, where `items` is not there, up to minItems
//   - without `type`, the keywords decide: {"minimum": 0} is a number; no keywords: any value
//   - numbers of at most 16 digits, without exponent where they have bounds; the layout of json_parts.h
//
// Enforced: type (also a list), nullable, enum, const, properties, required, additionalProperties, minProperties and
// maxProperties (of maps), items, prefixItems, minItems, maxItems, minLength, maxLength, pattern (pattern.h), format
// (date, time, date-time, duration, email, hostname, ipv4, ipv6, uuid), minimum, maximum, exclusiveMinimum and
// exclusiveMaximum (whole numbers), anyOf, oneOf (as anyOf), allOf, $ref to "#", "#/...", also recursive.
// Without effect: title, description, default, examples, deprecated, readOnly, writeOnly, $comment, $schema, $id,
// $defs, definitions, and names that begin with "x-". Anything else is refused: never silently left out.

#include <string_view>

#include "base/result.h"
#include "grammar/syntax.h"

namespace reckon::grammar {

// kInvalidInput: no JSON or no schema. kUnsupported and kInvalidInput name the keyword and its JSON pointer. kLimit.
[[nodiscard]] Result<Syntax> read_schema(std::string_view text);

// Any JSON object.
[[nodiscard]] Syntax any_json_object();

}  // namespace reckon::grammar
