#pragma once
// What stands between the threads that answer and the connection that sends: the state of one exchange.
// Owner: shared by the connection and the Exchange in the handler's hands. Thread: the upper half any, the lower half
// (the connection's side) the I/O thread.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/exchange.h"

namespace reckon::http {

class Reply {
 public:
  // `wake` brings the connection to look here again; called by any thread, never once leave() or settle() has returned.
  Reply(Request request, std::size_t max_backlog_bytes, bool sends_body, std::function<void()> wake);

  // The handler's side; see Exchange.
  [[nodiscard]] const Request& request() const { return request_; }
  void respond(Response response);
  void begin_stream(int status, std::string content_type, std::vector<Header> headers);
  bool write(std::string bytes);
  void end_stream();
  void set_heartbeat(std::string bytes, std::chrono::milliseconds interval);
  void on_gone(std::function<void()> callback);
  void drop();  // the handler let go of the exchange

  // The connection's side.
  struct Output {
    std::optional<Response> head;  // without a body where a stream begins
    bool begins_stream = false;
    std::string bytes;  // of the stream
    bool is_complete = false;
  };
  [[nodiscard]] Output take();  // what was taken before counts as sent
  // False: there is something to take, or is_lost(). True: `wake` is called when there is.
  [[nodiscard]] bool arm();
  [[nodiscard]] bool is_overrun() const;  // the client does not read: not worth another byte
  // Overrun, or the handler let go amid a stream, or the client left: the answer will not be whole.
  [[nodiscard]] bool is_lost() const;
  struct Heartbeat {
    std::string bytes;
    std::chrono::milliseconds interval{};  // 0: none
  };
  [[nodiscard]] Heartbeat heartbeat() const;
  // The client has left: calls on_gone's callbacks unless the handler has given its whole answer. False: it had.
  bool leave();
  void settle();  // sent, all of it

 private:
  enum class State { kWaiting, kStreaming, kComplete, kOverrun, kDropped, kGone };
  using Callbacks = std::vector<std::function<void()>>;
  // Both under mutex_. What change() returns dies after that: it may hold the last exchange, whose end comes back here.
  [[nodiscard]] Callbacks change(State next);
  void wake();

  const Request request_;
  const std::size_t max_backlog_bytes_;
  const bool sends_body_;  // false: HEAD

  mutable std::mutex mutex_;
  State state_ = State::kWaiting;
  bool is_armed_ = false;
  std::optional<Response> head_;
  bool begins_stream_ = false;
  std::string pending_;
  std::size_t in_flight_bytes_ = 0;
  Heartbeat heartbeat_;
  Callbacks gone_callbacks_;
  std::function<void()> wake_;
};

// What a handler gets; its end without an answer is one.
[[nodiscard]] std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Reply> reply);

}  // namespace reckon::http
