#include "grammar/schema_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace reckon::grammar {
namespace {

using text::Json;

Result<unsigned> type_named(const Field& field, const Json& name) {
  static constexpr std::pair<std::string_view, unsigned> kNames[] = {
      {"null", kNull},     {"boolean", kBoolean}, {"integer", kInteger}, {"number", kInteger | kNumber},
      {"string", kString}, {"array", kArray},     {"object", kObject}};
  const std::string* text = name.as_string();
  for (const auto& [known, bits] : kNames) {
    if (text != nullptr && *text == known) return bits;
  }
  return field_error(field, "want null, boolean, integer, number, string, array or object");
}

Result<unsigned> types_in(const Field& field) {
  const auto* list = field.value->as_array();
  if (list == nullptr) return type_named(field, *field.value);
  unsigned types = 0;
  for (const Json& name : *list) {
    RECKON_TRY(const unsigned type, type_named(field, name));
    types |= type;
  }
  if (types == 0) return field_error(field, "want at least one type");
  return types;
}

unsigned types_about(std::string_view keyword) {
  for (const std::string_view name :
       {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}) {
    if (keyword == name) return kObject;
  }
  for (const std::string_view name : {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}) {
    if (keyword == name) return kArray;
  }
  for (const std::string_view name : {"minLength", "maxLength", "pattern", "format"}) {
    if (keyword == name) return kString;
  }
  for (const std::string_view name : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}) {
    if (keyword == name) return kInteger | kNumber;
  }
  return 0;
}

struct Limit {
  std::int64_t value = 0;
  bool is_beyond = false;  // further out than any number that is written
  bool is_positive = false;
};

// A bound as a whole number: for whole numbers rounded into the range that it leaves.
Result<Limit> limit_of(const Field& field, bool is_lower, bool of_whole_numbers, bool& is_exclusive) {
  if (const std::int64_t* whole = field.value->as_int()) {
    return Limit{*whole, *whole > kLargestWhole || *whole < -kLargestWhole, *whole > 0};
  }
  const double* number = field.value->as_double();
  if (number == nullptr) return field_error(field, "want a number");
  if (std::abs(*number) > static_cast<double>(kLargestWhole)) return Limit{0, true, *number > 0};
  const double rounded = is_lower ? std::ceil(*number) : std::floor(*number);
  if (rounded != *number) {
    if (!of_whole_numbers) return unsupported_field(field, ": of numbers that are not whole, only with a whole bound");
    is_exclusive = false;
  }
  return Limit{static_cast<std::int64_t>(rounded), false, rounded > 0};
}

}  // namespace

unsigned type_of(const Json& value) {
  if (value.is_null()) return kNull;
  if (value.as_bool() != nullptr) return kBoolean;
  if (value.as_int() != nullptr) return kInteger | kNumber;
  if (const double* number = value.as_double()) return std::floor(*number) == *number ? kInteger | kNumber : kNumber;
  if (value.as_string() != nullptr) return kString;
  return value.as_array() != nullptr ? kArray : kObject;
}

Result<unsigned> types_of(const Fields& fields) {
  unsigned types = kAllTypes;
  unsigned about = 0;
  bool is_nullable = false;
  bool is_constant = false;
  for (const Field& field : fields.all) {
    about |= types_about(field.keyword);
    is_constant |= field.keyword == "enum" || field.keyword == "const";
    if (field.keyword == "type") {
      RECKON_TRY(const unsigned own, types_in(field));
      types &= own;
    } else if (field.keyword == "nullable") {
      const bool* flag = field.value->as_bool();
      if (flag == nullptr) return field_error(field, "want true or false");
      is_nullable |= *flag;
    }
  }
  if (!fields.has("type") && about != 0 && !is_constant) types = about;
  return is_nullable ? types | kNull : types;
}

Result<CountBounds> count_bounds(const Fields& fields, std::string_view min, std::string_view max) {
  CountBounds bounds;
  for (const Field& field : fields.all) {
    if (field.keyword != min && field.keyword != max) continue;
    const std::int64_t* whole = field.value->as_int();
    const double* number = field.value->as_double();
    const bool is_good =
        whole != nullptr ? *whole >= 0 : number != nullptr && *number >= 0 && std::floor(*number) == *number;
    if (!is_good) return field_error(field, "want a whole number, at least 0");
    const std::uint64_t value =
        whole != nullptr ? static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(std::min(*number, 9e18));
    if (field.keyword == min) {
      bounds.min = std::max(bounds.min, value);
    } else {
      bounds.max = std::min(bounds.max, value);
    }
  }
  return bounds;
}

Result<ValueBounds> value_bounds(const Fields& fields, bool of_whole_numbers) {
  ValueBounds out;
  NumberBounds& bounds = out.bounds;
  for (const Field& field : fields.all) {
    const bool is_lower = field.keyword == "minimum" || field.keyword == "exclusiveMinimum";
    if (!is_lower && field.keyword != "maximum" && field.keyword != "exclusiveMaximum") continue;
    bool is_exclusive = field.keyword.starts_with("exclusive");
    RECKON_TRY(Limit limit, limit_of(field, is_lower, of_whole_numbers, is_exclusive));
    if (limit.is_beyond) {
      if (limit.is_positive == is_lower) return field_error(field, "no number of 16 digits is that far out");
      continue;
    }
    out.has_any = true;
    if (of_whole_numbers && is_exclusive) {
      limit.value += is_lower ? 1 : -1;
      is_exclusive = false;
    }
    if (is_lower && limit.value >= bounds.low) {
      bounds.above_low = is_exclusive || (bounds.above_low && limit.value == bounds.low);
      bounds.low = limit.value;
    } else if (!is_lower && limit.value <= bounds.high) {
      bounds.below_high = is_exclusive || (bounds.below_high && limit.value == bounds.high);
      bounds.high = limit.value;
    }
  }
  return out;
}

}  // namespace reckon::grammar
