#pragma once
// Where a pattern occurs in a text, from left to right and without overlaps. Linear in both, whatever they are
// (Knuth, Morris and Pratt 1977): a search that starts anew behind each find is not, for every search function.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace reckon::chat::jinja {

class Occurrences {
 public:
  // The pattern is not empty; both outlive this.
  Occurrences(std::string_view text, std::string_view pattern);

  // The offset of the next one; npos when there is none left.
  std::size_t next();

 private:
  std::string_view text_;
  std::string_view pattern_;
  std::vector<std::uint32_t> border_;  // [i]: longest proper start of pattern[0, i] that ends there too
  std::size_t at_ = 0;
};

}  // namespace reckon::chat::jinja
