#include "http/message_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>

#include "http/field_text.h"
#include "http/head_scan.h"

namespace reckon::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;

// Nobody sends them, and the library looks for their end beyond that of the line.
constexpr std::string_view kQuotedExtension = "quoted text in the head of a chunk";
constexpr std::string_view kLongChunkLine = "the head of a chunk or the trailers are too long";

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

ErrorBody refusal_of(const error_code& error, const Limits& limits) {
  ErrorBody body;
  const auto set = [&](int status, std::string message) {
    body.status = status;
    body.message = std::move(message);
  };
  if (error == beast::http::error::body_limit) {
    set(413, fmt::format("the body is larger than {} bytes", limits.max_body_bytes));
  } else if (error == beast::http::error::bad_version) {
    set(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  } else if (error == beast::http::error::header_limit) {
    set(431, "the headers are too large");
  } else {
    set(400, fmt::format("this is not HTTP: {}", error.message()));
  }
  return body;
}

}  // namespace

class MessageParser::Grammar final : public beast::http::basic_parser<true> {
 public:
  explicit Grammar(const Limits& limits) : limits_(limits) {
    body_limit(boost::none);                                  // judged after the head, see admission.h
    header_limit(std::numeric_limits<std::uint32_t>::max());  // HeadScan holds it
  }

  Checked<std::size_t> feed_head(std::string_view bytes);
  Checked<std::size_t> feed_body(std::string_view bytes);

  [[nodiscard]] const MessageHead& head() const { return head_; }
  [[nodiscard]] std::string take_body() { return std::move(body_); }

 private:
  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version,
                       error_code&) override {
    head_.method = view(method);
    head_.target = view(target);
    head_.is_http_1_0 = version == 10;
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_field_impl(beast::http::field name, beast::string_view name_text, beast::string_view value,
                     error_code& error) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view bytes, error_code&) override { return take(bytes); }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view extension, error_code& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, error_code&) override { return take(bytes); }
  void on_finish_impl(error_code&) override {}

  std::size_t take(beast::string_view bytes) {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  std::unexpected<ErrorBody> refusal(const error_code& error) {
    if (refusal_) return std::unexpected(*refusal_);
    return std::unexpected(refusal_of(error, limits_));
  }
  // The line of a chunk's head, or the line of the last one with the trailers: one limit for either.
  [[nodiscard]] bool is_too_long(std::size_t n_bytes) const { return n_bytes > limits_.max_line_bytes; }
  void refuse_field(error_code& error, int status, std::string message) {
    refusal_ = refuse(status, std::move(message)).error();
    error = beast::http::error::bad_field;
  }

  const Limits& limits_;
  HeadScan scan_;
  MessageHead head_;
  std::string body_;
  std::optional<ErrorBody> refusal_;
  std::string_view shown_;                      // what the library reads just now
  std::optional<std::size_t> last_head_begin_;  // in `shown_`: the line of the last chunk
  int n_content_lengths_ = 0;
  int n_transfer_encodings_ = 0;
};

void MessageParser::Grammar::on_field_impl(beast::http::field name, beast::string_view name_text,
                                           beast::string_view value, error_code& error) {
  if (is_header_done()) return;  // a trailer says nothing that anybody asks for
  if (name == beast::http::field::content_length) {
    // The library takes "5, 5" and a second line that agrees with the first; proxies differ on what these mean.
    if (++n_content_lengths_ > 1) return refuse_field(error, 400, "two Content-Length headers");
    if (!std::ranges::all_of(view(value), [](char c) { return c >= '0' && c <= '9'; })) {
      return refuse_field(error, 400, "Content-Length is not one number");
    }
  } else if (name == beast::http::field::transfer_encoding) {
    // It takes a coding that it does not know for none at all, and would see a request in the body.
    if (++n_transfer_encodings_ > 1 || head_.is_http_1_0) {
      return refuse_field(error, 400, "a Transfer-Encoding that cannot be trusted");
    }
    if (!equals_ignoring_case(view(value), "chunked")) {
      return refuse_field(error, 501, "the only Transfer-Encoding here is chunked");
    }
    head_.is_chunked = true;
  }
  head_.headers.push_back({std::string(view(name_text)), std::string(view(value))});
}

void MessageParser::Grammar::on_chunk_header_impl(std::uint64_t size, beast::string_view extension, error_code& error) {
  if (view(extension).contains('"')) return refuse_field(error, 400, std::string(kQuotedExtension));
  std::size_t begin = static_cast<std::size_t>(extension.data() - shown_.data());
  const std::size_t end = begin + extension.size();
  while (begin > 0 && shown_[begin - 1] != '\n') --begin;  // over the digits of the size
  if (is_too_long(end + 2 - begin)) return refuse_field(error, 431, std::string(kLongChunkLine));
  if (size == 0) last_head_begin_ = begin;
}

Checked<std::size_t> MessageParser::Grammar::feed_head(std::string_view bytes) {
  const auto extent = scan_.scan(bytes, limits_);
  if (!extent) return std::unexpected(extent.error());
  if (extent->end == 0) return 0;
  error_code error;
  eager(false);
  const std::string_view head = bytes.substr(extent->begin, extent->end - extent->begin);
  const std::size_t n_taken = put(boost::asio::buffer(head), error);
  if (error || !is_header_done() || n_taken != head.size()) return refusal(error);
  head_.keeps_alive = keep_alive();
  if (n_content_lengths_ > 0) head_.content_length = content_length().value();
  body_limit(limits_.max_body_bytes);
  eager(true);
  return extent->end;
}

Checked<std::size_t> MessageParser::Grammar::feed_body(std::string_view bytes) {
  // The shortest end of a chunked body is "0\r\n\r\n"; shown less than that again, the library stops at an assertion.
  constexpr std::size_t kLastChunkBytes = 5;
  if (bytes.size() < (head_.is_chunked ? kLastChunkBytes : 1)) return 0;
  error_code error;
  shown_ = bytes;
  const std::size_t n_taken = put(boost::asio::buffer(bytes), error);
  if (error && error != beast::http::error::need_more) return refusal(error);
  if (is_done()) {
    if (last_head_begin_ && is_too_long(n_taken - *last_head_begin_)) return refuse(431, std::string(kLongChunkLine));
    return n_taken;
  }
  // What it left is the start of a chunk's head or of the trailers.
  const std::string_view rest = bytes.substr(n_taken);
  for (std::size_t at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n', at + 1)) {
    if (at == 0 || rest[at - 1] != '\r') return refuse(400, "a chunk line ends without a carriage return");
  }
  const std::size_t line_begin = rest.starts_with("\r\n") ? 2 : 0;
  if (rest.substr(0, rest.find("\r\n", line_begin)).contains('"')) return refuse(400, std::string(kQuotedExtension));
  if (is_too_long(rest.size() - line_begin)) return refuse(431, std::string(kLongChunkLine));
  return n_taken;
}

MessageParser::MessageParser(const Limits& limits) : grammar_(std::make_unique<Grammar>(limits)) {}
MessageParser::~MessageParser() = default;

Checked<std::size_t> MessageParser::feed(std::string_view bytes) {
  if (is_done()) return 0;
  return has_head() ? grammar_->feed_body(bytes) : grammar_->feed_head(bytes);
}

bool MessageParser::has_head() const { return grammar_->is_header_done(); }
bool MessageParser::is_done() const { return grammar_->is_done(); }
const MessageHead& MessageParser::head() const { return grammar_->head(); }
std::string MessageParser::take_body() { return grammar_->take_body(); }

}  // namespace reckon::http
