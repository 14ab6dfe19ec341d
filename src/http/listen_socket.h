#pragma once
// A bound and listening socket, non-blocking. Owns the descriptor, and the file of a unix socket.

#include <sys/types.h>

#include <string>
#include <vector>

#include "http/socket_address.h"
#include "reckon/result.h"

namespace reckon::http {

class ListenSocket {
 public:
  // kIo (the port is taken, not allowed, or the system refuses) names the remedy. A unix socket gets mode 0600; one
  // that nobody answers any more is replaced.
  static Result<ListenSocket> open(const SocketAddress& address);
  ~ListenSocket();
  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&&) = delete;

  [[nodiscard]] int release();                                             // the descriptor; the file stays this one's
  [[nodiscard]] const SocketAddress& address() const { return address_; }  // with the port that was taken

 private:
  ListenSocket(int fd, SocketAddress address) : fd_(fd), address_(address) {}
  int fd_ = -1;
  SocketAddress address_;
  // Of the file of a unix socket, so that another's is never removed; 0: no file.
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// All addresses of `wanted`, on one port. An address that this machine does not have is left out where another is
// there.
Result<std::vector<ListenSocket>> open_listen_sockets(const ListenAddress& wanted);

}  // namespace reckon::http
