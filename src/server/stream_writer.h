#pragma once
// The bytes of one streamed answer. Thread-safe, since the engine may have text before the thread that asked for it
// knows that the request was taken: what is written before open() waits.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/exchange.h"

namespace reckon::server {

class StreamWriter {
 public:
  struct Form {
    std::string content_type;
    std::string heartbeat;  // written whenever the stream is silent; no reader may take it for content
    std::chrono::milliseconds heartbeat_interval;
  };
  StreamWriter(std::shared_ptr<http::Exchange> exchange, Form form)
      : exchange_(std::move(exchange)), form_(std::move(form)) {}

  // Sends the head, then what waits.
  void open(std::vector<http::Header> headers);
  // False: nobody reads any more.
  bool write(std::string bytes);
  void close();

 private:
  std::shared_ptr<http::Exchange> exchange_;
  Form form_;
  std::mutex mutex_;
  bool open_ = false;
  bool closed_ = false;
  std::string waiting_;
};

}  // namespace reckon::server
