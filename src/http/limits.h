#pragma once
// What a client may cost before anybody looks at what it wants. Sizes in bytes.

#include <chrono>
#include <cstddef>

namespace reckon::http {

struct Limits {
  std::size_t max_line_bytes = 8 << 10;     // request line, and one header line: 414, 431
  std::size_t max_header_bytes = 32 << 10;  // all of them: 431
  int max_headers = 100;
  std::size_t max_body_bytes = 8 << 20;  // counted as received: 413
  int max_connections = 256;             // one more is closed at once
  std::chrono::milliseconds header_timeout{5'000};
  std::chrono::milliseconds body_timeout{15'000};   // without progress
  std::chrono::milliseconds idle_timeout{30'000};   // between two requests of a connection
  std::chrono::milliseconds write_timeout{30'000};  // a client that does not read
  std::size_t max_stream_backlog_bytes = 1 << 20;
};

}  // namespace reckon::http
