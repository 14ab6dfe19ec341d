#pragma once
// The target of a request line -> path and query (RFC 9112 section 3.2).

#include <string>
#include <string_view>

#include "http/message_head.h"

namespace reckon::http {

struct RequestTarget {
  std::string path;       // decoded once; begins with a slash, or "*"
  std::string query;      // raw, without the question mark
  std::string authority;  // of the absolute form, "host:port"; empty otherwise
};

// 400: a form that is not ours, an escape that is none, a control character, a dot segment (also one that was escaped).
Checked<RequestTarget> parse_target(std::string_view target);

}  // namespace reckon::http
