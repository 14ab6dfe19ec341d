#include "http/head_scan.h"

#include <fmt/format.h>

namespace reckon::http {
namespace {

constexpr int kMaxEmptyLines = 4;  // before the request line

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::unexpected<ErrorBody> too_long(bool is_request_line, const Limits& limits) {
  if (is_request_line) {
    return refuse(414,
                  fmt::format("the request line is longer than {} bytes: send a shorter URL", limits.max_line_bytes));
  }
  return refuse(431, fmt::format("a header line is longer than {} bytes", limits.max_line_bytes));
}

}  // namespace

// True: the head is complete.
Checked<bool> HeadScan::end_line(std::string_view line, const Limits& limits) {
  if (line.empty() || line.back() != '\r') return refuse(400, "a line of the head ends without a carriage return");
  line.remove_suffix(1);
  if (line.empty()) {
    if (n_lines_ > 0) return true;
    head_begin_ = at_;
    if (++n_empty_ > kMaxEmptyLines) return refuse(400, "empty lines instead of a request");
    return false;
  }
  if (line.contains('\r')) return refuse(400, "a carriage return inside a line of the head");
  if (n_lines_ > 0 && (line.front() == ' ' || line.front() == '\t')) {
    return refuse(400, "a header line that continues the one before: send it as one line");
  }
  if (++n_lines_ > limits.max_headers + 1) {
    return refuse(431, fmt::format("more than {} header lines", limits.max_headers));
  }
  return false;
}

Checked<HeadScan::Extent> HeadScan::scan(std::string_view bytes, const Limits& limits) {
  while (at_ < bytes.size()) {
    const char c = bytes[at_++];
    if (c == '\n') {
      const auto is_complete = end_line(bytes.substr(line_begin_, at_ - 1 - line_begin_), limits);
      if (!is_complete) return std::unexpected(is_complete.error());
      if (*is_complete) return Extent{head_begin_, at_};
      line_begin_ = at_;
    } else if (is_control(c) && c != '\r' && c != '\t') {
      return refuse(400, n_lines_ == 0 && at_ - head_begin_ == 1 && c == 0x16
                             ? "this port speaks plain HTTP, not HTTPS"
                             : "a control character in the head of the request");
    } else if (at_ - line_begin_ > limits.max_line_bytes) {
      return too_long(n_lines_ == 0, limits);
    } else if (at_ - head_begin_ > limits.max_header_bytes + limits.max_line_bytes) {
      return refuse(431, fmt::format("the headers are longer than {} bytes", limits.max_header_bytes));
    }
  }
  return Extent{};
}

}  // namespace reckon::http
