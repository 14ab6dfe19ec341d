#pragma once
// Bytes of a connection -> the head and the body of one request. The grammar and the framing are Boost.Beast's; what it
// lets through and smuggling lives on is refused here (two lengths, codings but chunked, folded lines, trailers).
// Owner: the connection, one a request. Not thread-safe.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/message_head.h"

namespace reckon::http {

class MessageParser {
 public:
  explicit MessageParser(const Limits& limits);  // keeps the reference
  ~MessageParser();
  MessageParser(const MessageParser&) = delete;
  MessageParser& operator=(const MessageParser&) = delete;

  // How many bytes it took from the front; the caller shows the others again, with more behind them. Stops after the
  // head, so that it can be judged before the body is looked at; never goes beyond the request. After a refusal the
  // connection has to be closed: nobody knows where the next request begins.
  Checked<std::size_t> feed(std::string_view bytes);

  [[nodiscard]] bool has_head() const;
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] const MessageHead& head() const;  // after a refusal: as far as it came
  [[nodiscard]] std::string take_body();

 private:
  class Grammar;
  std::unique_ptr<Grammar> grammar_;
};

}  // namespace reckon::http
