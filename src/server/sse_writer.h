#pragma once
// Server-sent events of one exchange, framed as the HTML standard says. Thread-safe, since the engine may have text
// before the thread that asked for it knows that the request was taken: what is written before open() waits.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.h"

namespace reckon::server {

class SseWriter {
 public:
  SseWriter(std::shared_ptr<http::Exchange> exchange, std::chrono::milliseconds heartbeat)
      : exchange_(std::move(exchange)), heartbeat_(heartbeat) {}

  // Sends the head, then what waits.
  void open(std::vector<http::Header> headers);
  // `json` is one line. False: nobody reads any more.
  bool event(std::string_view json);
  bool named_event(std::string_view name, std::string_view json);
  // Ends the stream; `last` is the data of a closing event, such as [DONE]; empty: none.
  void close(std::string_view last);

 private:
  bool write(std::string bytes);

  std::shared_ptr<http::Exchange> exchange_;
  std::chrono::milliseconds heartbeat_;
  std::mutex mutex_;
  bool open_ = false;
  bool closed_ = false;
  std::string waiting_;
};

}  // namespace reckon::server
