#pragma once
// A set of code points as sequences of byte ranges: the UTF-8 of exactly these characters.

#include <array>
#include <cstdint>
#include <vector>

#include "grammar/syntax.h"

namespace reckon::grammar {

struct ByteRange {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
};

struct ByteRanges {
  std::array<ByteRange, 4> bytes{};
  int length = 0;
};

// No two results match the same bytes. `set` is normalized.
[[nodiscard]] std::vector<ByteRanges> utf8_ranges(const CodePointSet& set);

}  // namespace reckon::grammar
