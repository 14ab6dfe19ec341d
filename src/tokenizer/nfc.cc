#include "tokenizer/nfc.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/utf8.h"

namespace reckon::tokenizer {
namespace {

// A starter that has no decomposition and never composes with what stands before it: text made of these alone is
// normal. A subset that covers what is written most: Latin, Greek and Cyrillic letters are left to the slow path from
// U+0300 on.
bool is_inert(char32_t c) {
  return c < 0xC0 || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x3000 && c <= 0x3029) || (c >= 0xFF01 && c <= 0xFFEF) ||
         (c >= 0x2010 && c <= 0x2027) || (c >= 0x2500 && c <= 0x2775) || (c >= 0x1F000 && c <= 0x1FAFF);
}

// Already composed, hence kept if nothing that combines follows.
bool is_composed_latin(char32_t c) { return c < 0x300; }

std::uint64_t combining_class(utf8proc_int32_t c) {
  return static_cast<std::uint64_t>(utf8proc_get_property(c)->combining_class);
}

// Decomposes, orders and composes one stretch of code points; the order is stable, as canonical ordering asks.
class Stretch {
 public:
  void add(char32_t c) {
    utf8proc_int32_t parts[32];  // the longest canonical decomposition has 4
    int boundary = 0;
    const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 32, UTF8PROC_DECOMPOSE, &boundary);
    if (n < 1 || n > 32) {
      code_points_.push_back(static_cast<utf8proc_int32_t>(c));
    } else {
      code_points_.insert(code_points_.end(), parts, parts + n);
    }
  }

  void flush(std::string& out) {
    if (code_points_.empty()) return;
    order();
    const auto n = utf8proc_normalize_utf32(code_points_.data(), static_cast<utf8proc_ssize_t>(code_points_.size()),
                                            static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    for (utf8proc_ssize_t i = 0; i < n; ++i) {
      text::append_utf8(out, static_cast<char32_t>(code_points_[static_cast<std::size_t>(i)]));
    }
    code_points_.clear();
  }

 private:
  // utf8proc's own ordering is an insertion sort: quadratic on a long run of marks.
  void order() {
    for (std::size_t begin = 0, end = 0; begin < code_points_.size(); begin = end + 1) {
      sort_keys_.clear();
      for (end = begin; end < code_points_.size(); ++end) {
        const std::uint64_t order = combining_class(code_points_[end]);
        if (order == 0) break;
        sort_keys_.push_back((order << 32) | (end - begin));
      }
      if (sort_keys_.size() > 1) sort_run(begin);
    }
  }

  // Marks of one class keep their order: the position is part of the key.
  void sort_run(std::size_t begin) {
    if (std::ranges::is_sorted(sort_keys_)) return;
    const std::vector<utf8proc_int32_t> run(
        code_points_.begin() + static_cast<std::ptrdiff_t>(begin),
        code_points_.begin() + static_cast<std::ptrdiff_t>(begin + sort_keys_.size()));
    std::ranges::sort(sort_keys_);
    for (std::size_t i = 0; i < sort_keys_.size(); ++i)
      code_points_[begin + i] = run[static_cast<std::uint32_t>(sort_keys_[i])];
  }

  std::vector<std::uint64_t> sort_keys_;  // class << 32 | position
  std::vector<utf8proc_int32_t> code_points_;
};

}  // namespace

bool may_need_nfc(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const text::Decoded c = text::decode_utf8(text, i);
    if (c.valid && !is_inert(c.code_point) && !is_composed_latin(c.code_point)) return true;
    i += c.length;
  }
  return false;
}

std::string to_nfc(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Stretch stretch;  // from an inert character, which may still compose with what follows, up to the next one
  for (std::size_t i = 0; i < text.size();) {
    const text::Decoded c = text::decode_utf8(text, i);
    if (!c.valid || is_inert(c.code_point)) stretch.flush(out);
    if (c.valid) {
      stretch.add(c.code_point);
    } else {
      out.append(text, i, c.length);
    }
    i += c.length;
  }
  stretch.flush(out);
  return out;
}

}  // namespace reckon::tokenizer
