#pragma once
// What a client may cost before anybody looks at what it wants. Sizes in bytes.

#include <chrono>
#include <cstddef>

namespace reckon::http {

struct Limits {
  std::size_t max_line_bytes = 8 << 10;     // request line, and one header line: 414, 431
  std::size_t max_header_bytes = 64 << 10;  // all of them: 431
  int max_headers = 100;
  std::size_t max_body_bytes = 16 << 20;  // counted as received: 413
  int max_connections = 512;              // one more gets 503 and is closed
  int max_connections_per_peer = 64;      // of one address; not for loopback and unix sockets
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};   // without progress
  std::chrono::milliseconds idle_timeout{60'000};   // between two requests of a connection
  std::chrono::milliseconds write_timeout{30'000};  // a client that does not read
  std::size_t max_stream_backlog_bytes = 1 << 20;
};

}  // namespace reckon::http
