#include "http/connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "base/log.h"
#include "http/response_writer.h"

namespace reckon::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

// A connection that we close while bytes of the client are under way is reset, and with it what we said last. So the
// client is told that nothing follows, and gets this long, and this many bytes, to hear it and close.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::size_t kLingerBytes = 64 << 20;

}  // namespace

// What an exchange has come to.
struct Connection::Sent {
  Clock::time_point begin = Clock::now();
  int status = 0;
  std::uint64_t n_bytes = 0;
  bool is_complete = false;
};

// Ends the exchange on every way out.
class Connection::RunningExchange {
 public:
  RunningExchange(Connection& connection, std::shared_ptr<Reply> reply, const Route* route)
      : connection_(connection), reply_(std::move(reply)), route_(route) {
    connection_.reply_ = reply_;
    connection_.service_.exchange_begins();
  }
  ~RunningExchange() {
    connection_.reply_.reset();
    if (!sent.is_complete) reply_->leave();
    reply_->settle();
    connection_.report(reply_->request(), route_, sent);
    connection_.service_.exchange_ends();
  }
  RunningExchange(const RunningExchange&) = delete;
  RunningExchange& operator=(const RunningExchange&) = delete;

  Sent sent;

 private:
  Connection& connection_;
  const std::shared_ptr<Reply> reply_;
  const Route* const route_;
};

Connection::Connection(ServiceState& service, asio::any_io_executor executor, std::shared_ptr<ByteStream> stream,
                       Peer peer)
    : service_(service),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      changed_(executor),
      has_room_(executor),
      write_limit_(executor) {
  service_.add(*this, peer_);
}

Connection::~Connection() { service_.remove(*this, peer_); }

void Connection::start() {
  asio::co_spawn(changed_.get_executor(), serve(), [self = shared_from_this()](const std::exception_ptr& failure) {
    // Out of memory, most likely: this connection ends, the others go on.
    if (failure) log_line(LogLevel::kWarning, "a connection was given up: out of memory");
    self->close_now();
  });
}

void Connection::close_now() {
  if (std::exchange(is_closed_, true)) return;
  stream_->close();
  has_room_.cancel();
  write_limit_.cancel();
  notify();
}

Connection::Task<bool> Connection::wait(Clock::time_point deadline) {
  changed_.expires_at(deadline);
  co_await changed_.async_wait(kAwait);
  co_return Clock::now() >= deadline;
}

void Connection::consume(std::size_t n_bytes) {
  inbox_begin_ += n_bytes;
  if (inbox_begin_ == inbox_.size()) {
    inbox_.clear();
    inbox_begin_ = 0;
  } else if (inbox_begin_ >= sizeof read_buffer_) {
    inbox_.erase(0, inbox_begin_);
    inbox_begin_ = 0;
  }
  has_room_.cancel();
}

Connection::Task<void> Connection::pump() {
  // One head of the largest size; more than that of later requests stays in the system's buffers.
  const std::size_t max_unread = service_.limits.max_header_bytes + 2 * service_.limits.max_line_bytes;
  while (!is_closed_) {
    if (!discards_input_ && unread().size() >= max_unread) {
      has_room_.expires_at(Clock::time_point::max());
      co_await has_room_.async_wait(kAwait);
      continue;
    }
    const Transfer got = co_await stream_->read_some(asio::buffer(read_buffer_));
    if (got.error || got.n_bytes == 0) break;
    if (discards_input_) {
      n_discarded_ += got.n_bytes;
    } else {
      inbox_.append(read_buffer_.data(), got.n_bytes);
    }
    notify();
  }
  input_ended();
}

void Connection::input_ended() {
  input_ended_ = true;
  if (const auto reply = reply_) reply->leave();
  notify();
}

void Connection::reply_changed() {
  if (reply_ && reply_->is_overrun()) close_now();
  notify();
}

Connection::Task<void> Connection::serve() {
  write_limit_.expires_after(service_.limits.header_timeout);
  write_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    if (const auto self = weak.lock(); self && !error) self->close_now();
  });
  const error_code failed = co_await stream_->handshake();
  write_limit_.cancel();
  if (failed || is_closed_) co_return;
  asio::co_spawn(changed_.get_executor(), pump(), [self = shared_from_this()](const std::exception_ptr& failure) {
    if (failure) self->close_now();
    self->input_ended();
  });
  for (;;) {
    const bool goes_on = co_await serve_one();
    if (!goes_on) break;
    ++n_served_;
  }
  co_await linger();
}

Connection::Task<bool> Connection::serve_one() {
  MessageParser parser(service_.limits);
  std::optional<ErrorBody> fault;
  const bool has_head = co_await read_head(parser, fault);
  if (!has_head) {
    if (!fault) co_return false;
    Admission admission;
    admission.request.method = parser.head().method;
    admission.request.path = parser.head().target;
    admission.request.client = peer_.name;
    admission.refusal = error_response(*fault);
    co_return co_await send_refusal(std::move(admission), parser.head(), true);
  }
  const auto access = service_.access();
  Admission admission = admit(parser.head(), peer_.name,
                              {service_.router, *access, service_.limits, peer_.own_hosts, service_.is_draining});
  // A body that nobody reads would be taken for the next request.
  if (admission.refusal) co_return co_await send_refusal(std::move(admission), parser.head(), parser.head().has_body());
  if (!parser.is_done()) {
    if (admission.expects_continue && unread().empty()) {
      const bool is_sent = co_await send("HTTP/1.1 100 Continue\r\n\r\n");
      if (!is_sent) co_return false;
    }
    const bool has_body = co_await read_body(parser, fault);
    if (!has_body) {
      if (!fault) co_return false;
      admission.refusal = error_response(*fault);
      co_return co_await send_refusal(std::move(admission), parser.head(), true);
    }
  }
  admission.request.body = parser.take_body();
  co_return co_await ask_handler(std::move(admission), parser.head());
}

Connection::Task<bool> Connection::read_head(MessageParser& parser, std::optional<ErrorBody>& fault) {
  const Limits& limits = service_.limits;
  bool has_begun = false;
  Clock::time_point deadline = Clock::now() + (n_served_ == 0 ? limits.header_timeout : limits.idle_timeout);
  for (;;) {
    if (!has_begun && !unread().empty()) {
      has_begun = true;
      deadline = Clock::now() + limits.header_timeout;
    }
    const auto n_taken = parser.feed(unread());
    if (!n_taken) {
      fault = n_taken.error();
      co_return false;
    }
    consume(*n_taken);
    if (parser.has_head()) co_return true;
    if (input_ended_ || is_closed_) co_return false;
    const bool is_late = co_await wait(deadline);
    if (!is_late) continue;
    // A connection that is merely idle is closed without a word: an answer could be taken for that of a request just
    // sent.
    if (has_begun) fault = refuse(408, "the head of the request took too long").error();
    co_return false;
  }
}

Connection::Task<bool> Connection::read_body(MessageParser& parser, std::optional<ErrorBody>& fault) {
  for (;;) {
    const auto n_taken = parser.feed(unread());
    if (!n_taken) {
      fault = n_taken.error();
      co_return false;
    }
    consume(*n_taken);
    if (parser.is_done()) co_return true;
    if (input_ended_ || is_closed_) co_return false;
    const bool is_late = co_await wait(Clock::now() + service_.limits.body_timeout);
    if (!is_late) continue;
    fault = refuse(408, "the body of the request stopped coming").error();
    co_return false;
  }
}

Connection::Task<bool> Connection::ask_handler(Admission admission, const MessageHead& head) {
  if (admission.request.id.empty()) admission.request.id = service_.make_id();
  const auto reply =
      std::make_shared<Reply>(std::move(admission.request), service_.limits.max_stream_backlog_bytes,
                              head.method != "HEAD", [weak = weak_from_this(), executor = changed_.get_executor()] {
                                asio::post(executor, [weak] {
                                  if (const auto self = weak.lock()) self->reply_changed();
                                });
                              });
  RunningExchange exchange(*this, reply, admission.route);
  try {
    admission.route->handler(make_exchange(reply));
  } catch (const std::exception& e) {
    log_line(LogLevel::kWarning, std::string("a handler failed: ") + e.what());
  } catch (...) {
    log_line(LogLevel::kWarning, "a handler failed");
  }
  if (input_ended_ || is_closed_) reply->leave();
  exchange.sent.is_complete = co_await send_answer(*reply, head, admission.allow_origin, exchange.sent);
  if (!exchange.sent.is_complete) close_now();
  co_return exchange.sent.is_complete&& keeps_;
}

Connection::Task<bool> Connection::send_answer(Reply& reply, const MessageHead& head, std::string_view allow_origin,
                                               Sent& sent) {
  Framing framing;
  framing.request_id = reply.request().id;
  framing.allow_origin = allow_origin;
  framing.is_http_1_0 = head.is_http_1_0;
  const bool sends_body = head.method != "HEAD";
  bool is_silent = false;
  for (;;) {
    const bool is_lost = reply.is_lost();
    Reply::Output output = reply.take();
    std::string out;
    if (output.head) {
      sent.status = output.head->status;
      if (!output.begins_stream) framing.content_length = output.head->body.size();
      framing.is_chunked = output.begins_stream && !head.is_http_1_0 && status_has_body(sent.status);
      framing.closes = !head.keeps_alive || service_.is_draining || (output.begins_stream && head.is_http_1_0);
      keeps_ = !framing.closes;
      append_response_head(out, *output.head, framing);
      if (sends_body && status_has_body(sent.status)) out += output.head->body;
    }
    const bool is_streaming = sent.status != 0 && output.begins_stream;
    if (is_streaming && is_silent && out.empty() && output.bytes.empty() && !output.is_complete) {
      output.bytes = reply.heartbeat().bytes;
    }
    if (framing.is_chunked) {
      append_chunk(out, output.bytes);
      if (output.is_complete && sends_body) out += kLastChunk;
    } else if (status_has_body(sent.status)) {
      out += output.bytes;
    }
    if (!out.empty()) {
      const bool is_sent = co_await send(out);
      if (!is_sent) co_return false;
      sent.n_bytes += out.size();
    }
    if (output.is_complete) co_return true;
    if (is_lost || is_closed_) co_return false;
    if (!reply.arm()) continue;
    const Reply::Heartbeat heartbeat = reply.heartbeat();
    const bool beats = is_streaming && heartbeat.interval.count() > 0;
    is_silent = co_await wait(beats ? Clock::now() + heartbeat.interval : Clock::time_point::max());
  }
}

Connection::Task<bool> Connection::send_refusal(Admission admission, const MessageHead& head, bool closes) {
  Sent sent;
  Request& request = admission.request;
  if (request.id.empty()) request.id = service_.make_id();
  const Response& response = *admission.refusal;
  Framing framing;
  framing.content_length = response.body.size();
  framing.closes = closes || !head.keeps_alive || service_.is_draining;
  framing.is_http_1_0 = head.is_http_1_0;
  framing.request_id = request.id;
  framing.allow_origin = admission.allow_origin;
  std::string out;
  append_response_head(out, response, framing);
  if (head.method != "HEAD" && status_has_body(response.status)) out += response.body;
  sent.status = response.status;
  sent.n_bytes = out.size();
  sent.is_complete = co_await send(out);
  report(request, admission.route, sent);
  co_return sent.is_complete && !framing.closes;
}

// In parts, since time runs from the last byte that went.
Connection::Task<bool> Connection::send(std::string_view bytes) {
  while (!bytes.empty() && !is_closed_) {
    write_limit_.expires_after(service_.limits.write_timeout);
    write_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
      if (const auto self = weak.lock(); self && !error) self->close_now();
    });
    const Transfer put = co_await stream_->write_some(asio::buffer(bytes));
    if (put.error) break;
    bytes.remove_prefix(put.n_bytes);
  }
  write_limit_.cancel();
  co_return bytes.empty();
}

Connection::Task<void> Connection::linger() {
  if (is_closed_) co_return;
  stream_->shutdown_write();
  discards_input_ = true;
  inbox_.clear();
  inbox_begin_ = 0;
  has_room_.cancel();
  const Clock::time_point deadline = Clock::now() + kLingerTime;
  while (!input_ended_ && !is_closed_ && n_discarded_ < kLingerBytes) {
    const bool is_late = co_await wait(deadline);
    if (is_late) break;
  }
}

void Connection::report(const Request& request, const Route* route, const Sent& sent) {
  if (!service_.on_end) return;
  ExchangeEnd end;
  end.request = &request;
  end.status = sent.status;
  if (route != nullptr) end.route = route->path;
  end.bytes_sent = sent.n_bytes;
  end.duration_ms = std::chrono::duration<double, std::milli>(Clock::now() - sent.begin).count();
  end.client_left = !sent.is_complete;
  try {
    service_.on_end(end);
  } catch (...) {
    log_line(LogLevel::kWarning, "the observer of finished requests failed");
  }
}

}  // namespace reckon::http
