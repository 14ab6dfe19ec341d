#pragma once
// The types that a schema allows, and the bounds that it sets.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "grammar/number_range.h"
#include "grammar/schema_fields.h"
#include "text/json.h"

namespace reckon::grammar {

// One bit a type. A whole number is both integer and number.
inline constexpr unsigned kNull = 1;
inline constexpr unsigned kBoolean = 2;
inline constexpr unsigned kInteger = 4;
inline constexpr unsigned kNumber = 8;
inline constexpr unsigned kString = 16;
inline constexpr unsigned kArray = 32;
inline constexpr unsigned kObject = 64;
inline constexpr unsigned kAllTypes = 127;

[[nodiscard]] unsigned type_of(const text::Json& value);

// What `type` and `nullable` allow together; without them, the types that the other keywords are about.
[[nodiscard]] Result<unsigned> types_of(const Fields& fields);

inline constexpr std::uint64_t kNoMaximum = 0xFFFF'FFFF'FFFF'FFFF;
struct CountBounds {
  std::uint64_t min = 0;
  std::uint64_t max = kNoMaximum;
};
[[nodiscard]] Result<CountBounds> count_bounds(const Fields& fields, std::string_view min, std::string_view max);

struct ValueBounds {
  NumberBounds bounds;
  bool has_any = false;
};
// minimum and its kin. Of whole numbers any bound is good; of others only a whole one.
[[nodiscard]] Result<ValueBounds> value_bounds(const Fields& fields, bool of_whole_numbers);

}  // namespace reckon::grammar
