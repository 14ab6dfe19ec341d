#pragma once
// Streams are cut anywhere: the end of what has come may be the start of a mark.

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace reckon::chat {

// How many bytes at the end of `text` may be the start of `mark`; the mark is not empty.
[[nodiscard]] inline std::size_t partial_mark(std::string_view text, std::string_view mark) {
  for (std::size_t n = std::min(text.size(), mark.size() - 1); n > 0; --n) {
    if (text.ends_with(mark.substr(0, n))) return n;
  }
  return 0;
}

}  // namespace reckon::chat
