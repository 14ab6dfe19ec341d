// SchemaWriter: strings and numbers.

#include <fmt/format.h>

#include <cmath>

#include "grammar/limits.h"
#include "grammar/number_range.h"
#include "grammar/pattern.h"
#include "grammar/schema_types.h"
#include "grammar/schema_writer.h"

namespace reckon::grammar {

Result<NodeId> SchemaWriter::string(const Fields& fields) {
  const Field* shape = nullptr;  // pattern or format
  const Field* length = nullptr;
  for (const Field& field : fields.all) {
    const bool is_shape = field.keyword == "pattern" || field.keyword == "format";
    const bool is_length = field.keyword == "minLength" || field.keyword == "maxLength";
    if (is_shape && field.value->as_string() == nullptr) return field_error(field, "want a string");
    if ((is_shape && shape != nullptr && *shape->value->as_string() != *field.value->as_string())) {
      return unsupported_field(field, " beside another pattern or format");
    }
    if (is_shape) shape = &field;
    if (is_length) length = &field;
  }
  RECKON_TRY(const CountBounds count, count_bounds(fields, "minLength", "maxLength"));
  if (shape != nullptr && length != nullptr) return unsupported_field(*length, " beside pattern or format");
  if (shape == nullptr && length == nullptr) return parts_.string();
  if (count.max < count.min) return syntax_.character_class({});

  std::string key;
  std::string_view pattern;
  if (shape != nullptr) {
    key = fmt::format("{} {}", shape->keyword, *shape->value->as_string());
    pattern = *shape->value->as_string();
    if (shape->keyword == "format") pattern = pattern_of_format(pattern);
    if (shape->keyword == "format" && pattern.empty()) {
      return unsupported_field(*shape, fmt::format(": {} is not known", key));
    }
  } else {
    if (count.min > kMaxRepetition || (count.max != kNoMaximum && count.max > kMaxRepetition)) {
      return field_error(*length, fmt::format("more than {} characters", kMaxRepetition), ErrorCode::kLimit);
    }
    key = fmt::format("length {} {}", count.min, count.max);
  }
  if (const auto known = made_strings_.find(key); known != made_strings_.end()) return known->second;
  NodeId inside = 0;
  if (shape != nullptr) {
    auto read = read_pattern(syntax_, parts_, pattern);
    if (!read) return field_error(*shape, read.error().message, read.error().code);
    inside = *read;
  } else {
    const std::uint32_t max = count.max == kNoMaximum ? kUnbounded : static_cast<std::uint32_t>(count.max);
    inside = syntax_.repeat(parts_.string_character(), static_cast<std::uint32_t>(count.min), max);
  }
  const RuleId rule = syntax_.add_rule((shape != nullptr ? shape : length)->pointer);
  syntax_.rules[rule].is_ours = shape != nullptr && shape->keyword == "format";
  const NodeId quote = syntax_.literal("\"");
  syntax_.define(rule, syntax_.sequence({quote, inside, quote}));
  const NodeId reference = syntax_.rule_reference(rule);
  made_strings_.emplace(key, reference);
  return reference;
}

Result<NodeId> SchemaWriter::number(const Fields& fields, bool is_whole) {
  for (const Field& field : fields.all) {
    if (field.keyword != "multipleOf") continue;
    const std::int64_t* factor = field.value->as_int();
    if (factor == nullptr || *factor != 1) return unsupported_field(field);
    is_whole = true;
  }
  RECKON_TRY(const ValueBounds found, value_bounds(fields, is_whole));
  if (!found.has_any) return is_whole ? parts_.integer() : parts_.number();
  const NumberBounds& bounds = found.bounds;
  const NodeId node = is_whole ? whole_numbers(syntax_, bounds.low, bounds.high) : decimal_numbers(syntax_, bounds);
  const RuleId rule = syntax_.add_rule("number with bounds");
  syntax_.rules[rule].is_ours = true;
  syntax_.define(rule, node);
  return syntax_.rule_reference(rule);
}

}  // namespace reckon::grammar
