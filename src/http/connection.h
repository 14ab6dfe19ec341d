#pragma once
// One connection: reads requests one after another, asks the handlers and sends what they answer.
// Internal to the folder: shows Boost.Asio. Owner: its own coroutines. Thread: I/O.
//
// Two coroutines share it. `pump` always reads ahead, so that a client that leaves is seen while its handler works and
// nothing is being written; `serve` parses, waits and writes.
//
// The end of input while a handler works counts as leaving: a client that closes looks the same as one that only says
// that it has no more to send, and work that nobody waits for must stop. What a handler has answered by then, at once
// or before, is still sent, so `printf ... | nc -N` gets its answer from every handler that does not wait.

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http/admission.h"
#include "http/byte_stream.h"
#include "http/message_parser.h"
#include "http/reply.h"
#include "http/service_state.h"

namespace reckon::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServiceState& service, boost::asio::any_io_executor executor, std::shared_ptr<ByteStream> stream,
             Peer peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  void close_now();  // the client of a running exchange has then left

 private:
  using Clock = std::chrono::steady_clock;
  template <class T>
  using Task = boost::asio::awaitable<T>;
  struct Sent;
  class RunningExchange;

  Task<void> pump();
  Task<void> serve();
  Task<bool> serve_one();  // false: the connection ends
  Task<bool> read_head(MessageParser& parser, std::optional<ErrorBody>& fault);
  Task<bool> read_body(MessageParser& parser, std::optional<ErrorBody>& fault);
  Task<bool> ask_handler(Admission admission, const MessageHead& head);
  Task<bool> send_answer(Reply& reply, const MessageHead& head, std::string_view allow_origin, Sent& sent);
  Task<bool> send_refusal(Admission admission, const MessageHead& head, bool closes);
  Task<bool> send(std::string_view bytes);
  Task<void> linger();
  Task<bool> wait(Clock::time_point deadline);  // true: it has passed

  [[nodiscard]] std::string_view unread() const { return std::string_view(inbox_).substr(inbox_begin_); }
  void consume(std::size_t n_bytes);
  void notify() { changed_.cancel(); }
  void input_ended();
  void reply_changed();
  void report(const Request& request, const Route* route, const Sent& sent);

  ServiceState& service_;
  const std::shared_ptr<ByteStream> stream_;
  const Peer peer_;
  boost::asio::steady_timer changed_;      // what serve() waits on: it expires, or something happened
  boost::asio::steady_timer has_room_;     // what pump() waits on while the inbox is full
  boost::asio::steady_timer write_limit_;  // closes the connection of a client that does not read

  std::string inbox_;  // read, from inbox_begin_ on not yet used
  std::size_t inbox_begin_ = 0;
  std::array<char, 16 << 10> read_buffer_;
  bool input_ended_ = false;
  bool is_closed_ = false;
  bool discards_input_ = false;  // on its way out
  std::size_t n_discarded_ = 0;
  bool keeps_ = false;  // another request may follow the answer that was begun last
  int n_served_ = 0;
  std::shared_ptr<Reply> reply_;  // of the exchange that runs
};

}  // namespace reckon::http
