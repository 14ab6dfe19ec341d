#pragma once
// JSON as plain values. Object members keep the order of the text; whole numbers stay whole numbers.
// The library behind it (Boost.JSON) stays behind it. Thread: any.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reckon/result.h"

namespace reckon::text {

struct Json;

// A template, so that a member can hold the value that holds it: it becomes complete when first used.
template <class Value>
struct BasicJsonMember {
  std::string name;
  Value value;
};
using JsonMember = BasicJsonMember<Json>;

// One JSON value. A tree is at most JsonLimits::max_depth deep, so walking it by recursion is safe.
struct Json {
  using Array = std::vector<Json>;
  using Object =
      std::vector<JsonMember>;  // in the order of the text; of equal names the last value, at the first place

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value = nullptr;

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(value); }
  // Null pointers where the value is of another type.
  [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&value); }
  [[nodiscard]] const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&value); }
  [[nodiscard]] const double* as_double() const { return std::get_if<double>(&value); }
  [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&value); }
  [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&value); }
  [[nodiscard]] const Object* as_object() const { return std::get_if<Object>(&value); }
  // The member of this name; null where there is none or this is no object. Linear in the number of members.
  [[nodiscard]] const Json* find(std::string_view name) const;
};

struct JsonLimits {
  std::size_t max_depth = 64;
};

// kInvalidInput names line and column. Checks UTF-8. A whole number beyond 64 bits becomes a double.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Compact text on one line. Bytes that are not UTF-8 come out as U+FFFD, NaN and infinity as null.
[[nodiscard]] std::string dump_json(const Json& json);

// Appends `text` as a JSON string with its quotes, under the same rules.
void append_json_string(std::string& out, std::string_view text);

}  // namespace reckon::text
