#pragma once
// One line of JSON for each request and each answer: who, what, how long; never what was said.

#include <memory>
#include <string>

#include "http/server.h"
#include "server/running_answer.h"

namespace reckon::server {

class RequestLog {
 public:
  // "-": standard error. Lines are written by a thread of their own; when it cannot keep up, the oldest are dropped.
  // kIo: the file cannot be opened for appending.
  static Result<std::unique_ptr<RequestLog>> open(const std::string& path);
  virtual ~RequestLog() = default;  // writes what waits

  virtual void request(const http::ExchangeEnd& end) = 0;
  virtual void answer(const ChoiceResult& result, const std::string& request_id, const std::string& client) = 0;
};

}  // namespace reckon::server
