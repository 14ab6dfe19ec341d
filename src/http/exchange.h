#pragma once
// One request of a client and the answer to it, as the rest of the service sees them: no sockets here.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::http {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;                   // as sent: GET, POST ...
  std::string path;                     // without the query, percent-decoded once; no NUL, no dot segments
  std::string query;                    // raw, without the question mark
  std::vector<std::string> parameters;  // what the {names} of the route took, in their order
  std::vector<Header> headers;
  std::string body;
  std::string id;      // X-Request-Id of the client where it is sound, otherwise made here; sent back with the answer
  std::string client;  // whose share this counts against: the name of the key, else the peer's address
  // Of the first header of that name, whatever its case; empty where there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<Header> headers;
  std::string body;
};

// Exactly one of respond() and begin_stream() ends the wait of the client; an exchange that is dropped without either
// answers 500. Thread-safe: every member may be called by any thread and returns at once. Once the client has left,
// nothing has an effect.
class Exchange {
 public:
  virtual ~Exchange() = default;

  [[nodiscard]] virtual const Request& request() const = 0;

  virtual void respond(Response response) = 0;

  // Sends the head now; the bytes follow as they are written, each as soon as it can go out.
  virtual void begin_stream(int status, std::string content_type, std::vector<Header> headers) = 0;
  // False: the client has left, or does not read and Limits::max_stream_backlog_bytes wait already (it is then cut
  // off).
  virtual bool write(std::string bytes) = 0;
  virtual void end_stream() = 0;
  // Sent whenever the stream was silent for that long, e.g. ": ping\n\n" of server-sent events.
  virtual void set_heartbeat(std::string bytes, std::chrono::milliseconds interval) = 0;

  // Called once, on the I/O thread, if the client leaves before respond() or end_stream() completed the answer; at
  // once, by the caller's thread, where it has left. The callback may hold the exchange.
  virtual void on_gone(std::function<void()> callback) = 0;
};

// On the I/O thread: hand over, never block.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace reckon::http
