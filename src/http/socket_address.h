#pragma once
// Addresses to listen on, and those of sockets, as text.

#include <sys/socket.h>

#include <string>
#include <vector>

#include "reckon/result.h"

namespace reckon::http {

// One place to bind to.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] int port() const;  // 0 for unix sockets
  void set_port(int port);
  [[nodiscard]] bool is_loopback() const;  // and of a unix socket
  // "127.0.0.1", "[::1]", as a Host header has it; the path of a unix socket.
  [[nodiscard]] std::string host() const;
  [[nodiscard]] std::string text() const;  // with the port; "unix:/path"
};

struct ListenAddress {
  std::string text;                      // as given
  std::string host;                      // as given, without brackets
  std::vector<SocketAddress> addresses;  // one at least; several of "localhost" or a name
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "*:8080", "unix:/path". kInvalidInput names what is wrong.
Result<ListenAddress> parse_listen_address(const std::string& text);

[[nodiscard]] SocketAddress peer_address(int socket);  // of size 0 where there is none
[[nodiscard]] SocketAddress local_address(int socket);

}  // namespace reckon::http
