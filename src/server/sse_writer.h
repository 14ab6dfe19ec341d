#pragma once
// Server-sent events of one exchange, framed as the HTML standard says. Thread-safe.

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "server/stream_writer.h"

namespace reckon::server {

class SseWriter {
 public:
  SseWriter(std::shared_ptr<http::Exchange> exchange, std::chrono::milliseconds heartbeat)
      : stream_(std::move(exchange), {"text/event-stream", ": ping\n\n", heartbeat}) {}

  // Sends the head, then what waits.
  void open(std::vector<http::Header> headers) { stream_.open(std::move(headers)); }
  // `json` is one line. False: nobody reads any more.
  bool event(std::string_view json);
  bool named_event(std::string_view name, std::string_view json);
  // Ends the stream; `last` is the data of a closing event, such as [DONE]; empty: none.
  void close(std::string_view last);

 private:
  StreamWriter stream_;
};

}  // namespace reckon::server
