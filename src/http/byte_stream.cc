#include "http/byte_stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace reckon::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

  asio::awaitable<error_code> handshake() override { co_return error_code{}; }
  asio::awaitable<Transfer> read_some(asio::mutable_buffer buffer) override {
    const auto [error, n_bytes] = co_await socket_.async_read_some(buffer, kAwait);
    co_return Transfer{error, n_bytes};
  }
  asio::awaitable<Transfer> write_some(asio::const_buffer buffer) override {
    const auto [error, n_bytes] = co_await socket_.async_write_some(buffer, kAwait);
    co_return Transfer{error, n_bytes};
  }
  void shutdown_write() override {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  Socket socket_;
};

class TlsStream final : public ByteStream, public std::enable_shared_from_this<TlsStream> {
 public:
  TlsStream(Socket socket, std::shared_ptr<asio::ssl::context> tls)
      : tls_(std::move(tls)), stream_(std::move(socket), *tls_) {}

  asio::awaitable<error_code> handshake() override {
    const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kAwait);
    co_return error;
  }
  asio::awaitable<Transfer> read_some(asio::mutable_buffer buffer) override {
    const auto [error, n_bytes] = co_await stream_.async_read_some(buffer, kAwait);
    co_return Transfer{error, n_bytes};
  }
  asio::awaitable<Transfer> write_some(asio::const_buffer buffer) override {
    const auto [error, n_bytes] = co_await stream_.async_write_some(buffer, kAwait);
    co_return Transfer{error, n_bytes};
  }
  void shutdown_write() override {
    // Sends its close_notify now, and ends when that of the peer has come or the socket is closed.
    stream_.async_shutdown([self = shared_from_this()](const error_code&) {});
  }
  void close() override {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

 private:
  const std::shared_ptr<asio::ssl::context> tls_;
  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::shared_ptr<ByteStream> make_plain_stream(Socket socket) {
  return std::make_shared<PlainStream>(std::move(socket));
}

std::shared_ptr<ByteStream> make_tls_stream(Socket socket, std::shared_ptr<asio::ssl::context> tls) {
  return std::make_shared<TlsStream>(std::move(socket), std::move(tls));
}

}  // namespace reckon::http
