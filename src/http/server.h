#pragma once
// The HTTP/1.1 service: one I/O thread for any number of connections, over Boost.Beast, which stays behind this header.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/access.h"
#include "http/limits.h"
#include "http/router.h"
#include "reckon/result.h"

namespace reckon::http {

struct TlsFiles {
  std::filesystem::path certificate;  // PEM, with its chain
  std::filesystem::path key;
};

struct ServerOptions {
  // "127.0.0.1:8080", "[::1]:8080", "localhost:8080" (all its addresses), "unix:/run/reckon.sock"; port 0: any.
  std::vector<std::string> listen;
  std::optional<TlsFiles> tls;
  Limits limits;
  Access access;
};

// Called on the I/O thread when an answer is complete or its client has left.
struct ExchangeEnd {
  const Request* request = nullptr;
  int status = 0;     // 0: the client left before any
  std::string route;  // its path pattern; empty: none matched
  std::uint64_t bytes_sent = 0;
  double duration_ms = 0;
  bool client_left = false;
};
using OnExchangeEnd = std::function<void(const ExchangeEnd&)>;

class Server {
 public:
  // Binds and starts the I/O thread. kInvalidInput: an address, a certificate; kIo: the port is taken (names the
  // remedy); kInvalidInput: an address that is not loopback without a key in `access` and without access.allow_no_key.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Router router, OnExchangeEnd on_end = {});
  virtual ~Server() = default;  // stops at once

  [[nodiscard]] virtual std::vector<std::string> addresses() const = 0;  // with the ports that were taken
  // For new requests; what runs is not touched. Thread-safe.
  virtual void set_access(Access access) = 0;
  virtual Result<void> reload_tls() = 0;
  [[nodiscard]] virtual int n_connections() const = 0;
  // Runs `callback` on the I/O thread, now or after a delay.
  virtual void post(std::function<void()> callback, std::chrono::milliseconds delay = {}) = 0;
  // Takes no new connections, answers 503 to new requests on old ones, and returns when all exchanges have ended or
  // `patience` is over.
  virtual void drain(std::chrono::milliseconds patience) = 0;
};

}  // namespace reckon::http
