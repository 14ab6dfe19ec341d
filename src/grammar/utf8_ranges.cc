#include "grammar/utf8_ranges.h"

#include <string>

#include "text/utf8.h"

namespace reckon::grammar {
namespace {

// Splits first..last until each piece is a product of byte ranges: where two ends differ in a high part, the low part
// must run over all of its values. The way of RE2 and of the Rust regex-syntax crate (utf8.rs), described there.
void split(char32_t first, char32_t last, std::vector<ByteRanges>& out) {
  constexpr char32_t kLastOfLength[] = {0x7F, 0x7FF, 0xFFFF};
  for (const char32_t end : kLastOfLength) {
    if (first <= end && end < last) {
      split(first, end, out);
      split(end + 1, last, out);
      return;
    }
  }
  if (last > 0x7F) {
    for (int n = 1; n <= 3; ++n) {  // n continuation bytes hold 6 bits each
      const char32_t low = (char32_t{1} << (6 * n)) - 1;
      if ((first & ~low) == (last & ~low)) continue;
      if ((first & low) != 0) {
        split(first, first | low, out);
        split((first | low) + 1, last, out);
        return;
      }
      if ((last & low) != low) {
        split(first, (last & ~low) - 1, out);
        split(last & ~low, last, out);
        return;
      }
    }
  }
  std::string a;
  std::string b;
  text::append_utf8(a, first);
  text::append_utf8(b, last);
  ByteRanges ranges;
  ranges.length = static_cast<int>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ranges.bytes[i] = {static_cast<std::uint8_t>(a[i]), static_cast<std::uint8_t>(b[i])};
  }
  out.push_back(ranges);
}

}  // namespace

std::vector<ByteRanges> utf8_ranges(const CodePointSet& set) {
  std::vector<ByteRanges> out;
  for (const CodePointRange& range : set) split(range.first, range.last, out);
  return out;
}

}  // namespace reckon::grammar
