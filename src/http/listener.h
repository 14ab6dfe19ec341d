#pragma once
// Accepts the connections of one listening socket. Internal to the folder: shows Boost.Asio. Thread: I/O.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "http/byte_stream.h"
#include "http/listen_socket.h"
#include "http/service_state.h"

namespace reckon::http {

// The context of the moment; null: plain.
using TlsSource = std::function<std::shared_ptr<boost::asio::ssl::context>()>;

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  // `host`: the name that it was told to listen on. Throws where the system refuses memory or the event queue.
  Listener(boost::asio::io_context& io, ServiceState& service, ListenSocket socket, std::string host, TlsSource tls);
  void start();
  void close();  // connections that are open stay

  [[nodiscard]] const SocketAddress& address() const { return socket_.address(); }

 private:
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> refuse_connection(Socket socket);
  void accepted(Socket socket);

  ServiceState& service_;
  ListenSocket socket_;
  const std::string host_;
  const TlsSource tls_;
  boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor_;
  int n_refusing_ = 0;
};

}  // namespace reckon::http
