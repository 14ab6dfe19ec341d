#include "http/listen_socket.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace reckon::http {
namespace {

constexpr int kBacklog = 1024;
constexpr int kPortTries = 16;

const sockaddr* raw(const SocketAddress& address) { return reinterpret_cast<const sockaddr*>(&address.storage); }

std::unexpected<Error> refusal(const SocketAddress& address, int error) {
  const std::string name = address.text();
  switch (error) {
    case EADDRINUSE:
      return fail(ErrorCode::kIo,
                  fmt::format("{} is in use: stop the program that listens there, or choose another address", name));
    case EACCES:
      return fail(
          ErrorCode::kIo,
          fmt::format("{} may not be listened on: choose a port of 1024 or above, or a folder of your own", name));
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return fail(ErrorCode::kInvalidInput, fmt::format("{} is not an address of this machine", name));
    default:
      return fail(ErrorCode::kIo, fmt::format("{} cannot be listened on: {}", name, std::strerror(error)));
  }
}

// A file in the way goes where it is a socket that nobody listens on.
Result<void> clear_stale(const SocketAddress& address) {
  const std::string path = address.host();
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("{} is there and is no socket: choose another path", path));
  }
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return refusal(address, errno);
  const int error = ::connect(probe, raw(address), address.size) == 0 ? 0 : errno;
  ::close(probe);
  if (error != ECONNREFUSED) return refusal(address, EADDRINUSE);
  if (::unlink(path.c_str()) != 0) return refusal(address, errno);
  return {};
}

void set_option(int fd, int level, int name) {
  const int on = 1;
  (void)::setsockopt(fd, level, name, &on, sizeof on);
}

}  // namespace

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      address_(other.address_),
      device_(other.device_),
      inode_(std::exchange(other.inode_, 0)) {}

ListenSocket::~ListenSocket() {
  if (fd_ >= 0) ::close(fd_);
  struct stat info{};
  if (inode_ == 0 || ::lstat(address_.host().c_str(), &info) != 0) return;
  if (info.st_dev == device_ && info.st_ino == inode_) ::unlink(address_.host().c_str());
}

int ListenSocket::release() { return std::exchange(fd_, -1); }

Result<ListenSocket> ListenSocket::open(const SocketAddress& address) {
  const bool is_unix = address.family() == AF_UNIX;
  if (is_unix) {
    if (const auto cleared = clear_stale(address); !cleared) return std::unexpected(cleared.error());
  }
  const int fd = ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return refusal(address, errno);
  ListenSocket made(fd, address);
  if (!is_unix) set_option(fd, SOL_SOCKET, SO_REUSEADDR);
  // Each family has a socket of its own, so that "*" means the same on every machine.
  if (address.family() == AF_INET6) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY);
  if (::bind(fd, raw(address), address.size) != 0) return refusal(address, errno);
  if (is_unix) {
    struct stat info{};
    const std::string path = address.host();
    // Nobody can connect before listen(), so the mode is right from the first moment that counts.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::lstat(path.c_str(), &info) != 0)
      return refusal(address, errno);
    made.device_ = info.st_dev;
    made.inode_ = info.st_ino;
  }
  if (::listen(fd, kBacklog) != 0) return refusal(address, errno);
  if (!is_unix) made.address_ = local_address(fd);
  return made;
}

Result<std::vector<ListenSocket>> open_listen_sockets(const ListenAddress& wanted) {
  const bool any_port = wanted.addresses.front().family() != AF_UNIX && wanted.addresses.front().port() == 0;
  Error last;
  // Port 0: the one that the first address gets may be taken at the second.
  for (int i_try = 0; i_try < (any_port ? kPortTries : 1); ++i_try) {
    std::vector<ListenSocket> opened;
    bool is_complete = true;
    for (SocketAddress address : wanted.addresses) {
      if (any_port && !opened.empty()) address.set_port(opened.front().address().port());
      auto socket = ListenSocket::open(address);
      if (socket) {
        opened.push_back(*std::move(socket));
        continue;
      }
      last = socket.error();
      // No IPv6 here, say; the other addresses of the name will do.
      if (last.code != ErrorCode::kInvalidInput) is_complete = false;
    }
    if (is_complete && !opened.empty()) return opened;
  }
  return std::unexpected(last);
}

}  // namespace reckon::http
