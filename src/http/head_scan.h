#pragma once
// Finds the end of a head in bytes as they come, each byte looked at once, and holds the limits on it. Stricter than
// the parser behind it: no folded lines, no line that ends in a bare line feed, no control characters.

#include <cstddef>
#include <string_view>

#include "http/limits.h"
#include "http/message_head.h"

namespace reckon::http {

class HeadScan {
 public:
  struct Extent {
    std::size_t begin = 0;  // empty lines in front are skipped (RFC 9112 section 2.2)
    std::size_t end = 0;    // past the empty line; 0: not complete yet
  };
  // `bytes` are those of the last call and more.
  Checked<Extent> scan(std::string_view bytes, const Limits& limits);

 private:
  Checked<bool> end_line(std::string_view line, const Limits& limits);

  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t head_begin_ = 0;
  int n_empty_ = 0;
  int n_lines_ = 0;
};

}  // namespace reckon::http
