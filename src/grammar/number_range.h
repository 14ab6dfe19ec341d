#pragma once
// Numbers between two bounds, as nodes of a grammar.

#include <cstdint>
#include <optional>

#include "grammar/syntax.h"

namespace reckon::grammar {

// The largest number of 16 digits: what is beyond is never written.
inline constexpr std::int64_t kLargestWhole = 9'999'999'999'999'999;

// Whole numbers first..last in decimal, both within kLargestWhole. Matches nothing where last < first.
[[nodiscard]] NodeId whole_numbers(Syntax& syntax, std::int64_t first, std::int64_t last);

struct NumberBounds {
  std::int64_t low = -kLargestWhole;
  std::int64_t high = kLargestWhole;
  bool above_low = false;   // not `low` itself
  bool below_high = false;  // not `high` itself
};

// Decimal numbers without an exponent, at most 16 digits behind the point.
[[nodiscard]] NodeId decimal_numbers(Syntax& syntax, const NumberBounds& bounds);

}  // namespace reckon::grammar
