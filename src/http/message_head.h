#pragma once
// The head of a request as it came, and what is wrong with one.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "http/error_response.h"
#include "http/exchange.h"

namespace reckon::http {

// A value, or what the client is told.
template <class T>
using Checked = std::expected<T, ErrorBody>;

[[nodiscard]] inline std::unexpected<ErrorBody> refuse(int status, std::string message) {
  ErrorBody body;
  body.status = status;
  body.message = std::move(message);
  return std::unexpected(std::move(body));
}

struct MessageHead {
  std::string method;
  std::string target;  // as sent
  std::vector<Header> headers;
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  bool is_http_1_0 = false;
  bool keeps_alive = false;  // the client wants to send another request
  [[nodiscard]] bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
};

}  // namespace reckon::http
