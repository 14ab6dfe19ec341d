#include "http/listener.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <string>
#include <utility>

#include "base/log.h"
#include "http/connection.h"
#include "http/error_response.h"
#include "http/origin.h"
#include "http/response_writer.h"

namespace reckon::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptPause{100};  // where the system has no descriptor left
// Connections over the limit that are told so at a time; above that they are just closed.
constexpr int kMaxRefusing = 64;
constexpr std::chrono::seconds kRefusalTime{1};

void set_option(int fd, int level, int name, int value) { (void)::setsockopt(fd, level, name, &value, sizeof value); }

// A token goes out when it is there; a client that vanished without a word (no power, no network) is noticed in half a
// minute, also while nothing is being sent.
void tune_tcp(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

std::string overload_answer() {
  ErrorBody error;
  error.status = 503;
  error.message = "too many connections: try again later";
  error.code = "too_many_connections";
  error.retry_after_s = 1;
  const Response response = error_response(error);
  Framing framing;
  framing.content_length = response.body.size();
  framing.closes = true;
  std::string out;
  append_response_head(out, response, framing);
  return out + response.body;
}

}  // namespace

Listener::Listener(asio::io_context& io, ServiceState& service, ListenSocket socket, std::string host, TlsSource tls)
    : service_(service), socket_(std::move(socket)), host_(std::move(host)), tls_(std::move(tls)), acceptor_(io) {
  const int family = socket_.address().family();
  acceptor_.assign({family, family == AF_UNIX ? 0 : IPPROTO_TCP}, socket_.release());
}

void Listener::start() {
  asio::co_spawn(
      acceptor_.get_executor(), accept_all(), [self = shared_from_this()](const std::exception_ptr& failure) {
        if (failure)
          log_line(LogLevel::kWarning, fmt::format("{} takes no connections any more", self->address().text()));
      });
}

void Listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
}

asio::awaitable<void> Listener::accept_all() {
  asio::steady_timer pause(acceptor_.get_executor());
  while (acceptor_.is_open()) {
    auto [error, socket] = co_await acceptor_.async_accept(kAwait);
    if (error == asio::error::operation_aborted) break;
    if (!error) {
      try {
        accepted(std::move(socket));
      } catch (const std::exception& e) {
        log_line(LogLevel::kWarning, fmt::format("a connection was not taken: {}", e.what()));
      }
      continue;
    }
    if (error == asio::error::connection_aborted) continue;
    log_line(LogLevel::kWarning, fmt::format("no connection can be taken at the moment: {}", error.message()));
    pause.expires_after(kAcceptPause);
    co_await pause.async_wait(kAwait);
  }
}

void Listener::accepted(Socket socket) {
  const int fd = socket.native_handle();
  const SocketAddress remote = peer_address(fd);
  const SocketAddress local = local_address(fd);
  const bool is_tcp = local.family() == AF_INET || local.family() == AF_INET6;
  Peer peer;
  peer.name = is_tcp && remote.size > 0 ? remote.host() : "local";
  peer.counts = is_tcp && !remote.is_loopback();
  peer.own_hosts = {host_name(host_.contains(':') ? "[" + host_ + "]" : host_)};
  if (is_tcp) {
    peer.own_hosts.push_back(local.host());
    tune_tcp(fd);
  }
  auto tls = is_tcp ? tls_() : nullptr;
  if (!service_.has_room_for(peer)) {
    // Whom to tell would take a handshake first where there is TLS.
    if (tls != nullptr || n_refusing_ >= kMaxRefusing) return;
    asio::co_spawn(acceptor_.get_executor(), refuse_connection(std::move(socket)),
                   [self = shared_from_this()](const std::exception_ptr&) { --self->n_refusing_; });
    ++n_refusing_;
    return;
  }
  auto stream =
      tls != nullptr ? make_tls_stream(std::move(socket), std::move(tls)) : make_plain_stream(std::move(socket));
  std::make_shared<Connection>(service_, acceptor_.get_executor(), std::move(stream), std::move(peer))->start();
}

// Waits a moment for the client to close: closing first would reset the connection if its request is under way.
asio::awaitable<void> Listener::refuse_connection(Socket given) {
  const auto socket = std::make_shared<Socket>(std::move(given));
  const std::string answer = overload_answer();
  error_code ignored;
  socket->non_blocking(true, ignored);
  socket->send(asio::buffer(answer), 0, ignored);
  socket->shutdown(Socket::shutdown_send, ignored);
  asio::steady_timer limit(acceptor_.get_executor());
  limit.expires_after(kRefusalTime);
  limit.async_wait([socket](const error_code& error) {
    error_code unused;
    if (!error) socket->close(unused);
  });
  std::array<char, 4096> discarded{};
  for (;;) {
    const auto [error, n_bytes] = co_await socket->async_read_some(asio::buffer(discarded), kAwait);
    if (error) break;
  }
}

}  // namespace reckon::http
