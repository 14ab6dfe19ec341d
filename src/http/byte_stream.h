#pragma once
// The bytes of a connection, plain or through TLS: TCP and unix sockets alike. Internal to the folder: shows
// Boost.Asio. Thread: I/O. One read and one write may be under way at a time.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>

namespace reckon::http {

using Socket = boost::asio::generic::stream_protocol::socket;

struct Transfer {
  boost::system::error_code error;  // also at the end of input
  std::size_t n_bytes = 0;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual boost::asio::awaitable<boost::system::error_code> handshake() = 0;
  virtual boost::asio::awaitable<Transfer> read_some(boost::asio::mutable_buffer buffer) = 0;
  virtual boost::asio::awaitable<Transfer> write_some(boost::asio::const_buffer buffer) = 0;
  // Tells the peer that nothing follows; what was written still arrives. Does not wait.
  virtual void shutdown_write() = 0;
  // At once; ends the read and the write that are under way.
  virtual void close() = 0;
};

std::shared_ptr<ByteStream> make_plain_stream(Socket socket);
std::shared_ptr<ByteStream> make_tls_stream(Socket socket, std::shared_ptr<boost::asio::ssl::context> tls);

}  // namespace reckon::http
