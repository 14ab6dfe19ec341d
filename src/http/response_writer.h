#pragma once
// Bytes of an answer: head and chunks (RFC 9112 sections 4 and 7.1). The framing and the headers that protect a browser
// are written here and nowhere else.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/exchange.h"

namespace reckon::http {

struct Framing {
  std::optional<std::uint64_t> content_length;  // none: a stream
  bool is_chunked = false;                      // a stream that ends with an empty chunk, not with the connection
  bool closes = false;
  bool is_http_1_0 = false;       // of the request
  std::string_view request_id;    // empty: none
  std::string_view allow_origin;  // see Admission
};

// Headers of the answer that are not sound, or that frame the message, are left out; nothing of a client gets in.
void append_response_head(std::string& out, const Response& response, const Framing& framing);
// Empty bytes append nothing: an empty chunk would end the stream.
void append_chunk(std::string& out, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// 204 and 304 have none, nor has an answer to HEAD.
[[nodiscard]] bool status_has_body(int status);
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace reckon::http
