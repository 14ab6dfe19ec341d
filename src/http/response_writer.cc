#include "http/response_writer.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <iterator>

#include "http/field_text.h"

namespace reckon::http {
namespace {

// "Tue, 01 Dec 2026 03:00:00 GMT" (RFC 9110 section 5.6.7); strftime would ask the locale.
void append_date(std::string& out) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (::gmtime_r(&now, &utc) == nullptr) return;
  fmt::format_to(std::back_inserter(out), "Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n",
                 kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                 kMonths.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                 utc.tm_sec);
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

bool is_ours(std::string_view name) {
  for (const std::string_view ours : {"Content-Length", "Transfer-Encoding", "Connection", "Date", "Content-Type",
                                      "X-Request-Id", "X-Content-Type-Options"}) {
    if (equals_ignoring_case(name, ours)) return true;
  }
  return false;
}

}  // namespace

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

void append_response_head(std::string& out, const Response& response, const Framing& framing) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  append_date(out);
  if (!response.content_type.empty() && is_field_value(response.content_type)) {
    append_header(out, "Content-Type", response.content_type);
  }
  bool has_cache_control = false;
  for (const Header& header : response.headers) {
    if (is_ours(header.name) || !is_token(header.name) || !is_field_value(header.value)) continue;
    has_cache_control = has_cache_control || equals_ignoring_case(header.name, "Cache-Control");
    append_header(out, header.name, header.value);
  }
  append_header(out, "X-Content-Type-Options", "nosniff");
  if (!has_cache_control) append_header(out, "Cache-Control", "no-store");
  if (!framing.request_id.empty()) append_header(out, "X-Request-Id", framing.request_id);
  if (!framing.allow_origin.empty()) {
    append_header(out, "Access-Control-Allow-Origin", framing.allow_origin);
    append_header(out, "Access-Control-Expose-Headers", "*");
    if (framing.allow_origin != "*") append_header(out, "Vary", "Origin");
  }
  if (framing.is_chunked) {
    append_header(out, "Transfer-Encoding", "chunked");
  } else if (framing.content_length && status_has_body(response.status)) {
    append_header(out, "Content-Length", std::to_string(*framing.content_length));
  }
  if (framing.closes) {
    append_header(out, "Connection", "close");
  } else if (framing.is_http_1_0) {
    append_header(out, "Connection", "keep-alive");
  }
  out += "\r\n";
}

void append_chunk(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out += bytes;
  out += "\r\n";
}

}  // namespace reckon::http
