#include "http/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace reckon::http {
namespace {

const sockaddr_in& as_v4(const sockaddr_storage& storage) { return reinterpret_cast<const sockaddr_in&>(storage); }
const sockaddr_in6& as_v6(const sockaddr_storage& storage) { return reinterpret_cast<const sockaddr_in6&>(storage); }

template <class Address>
SocketAddress make_address(const Address& address) {
  SocketAddress made;
  std::memcpy(&made.storage, &address, sizeof address);
  made.size = sizeof address;
  return made;
}

std::optional<SocketAddress> parse_ip(const std::string& host) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) return make_address(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) return make_address(v6);
  return std::nullopt;
}

Result<std::vector<SocketAddress>> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); error != 0) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the host \"{}\" to listen on is not known: {}", host, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<SocketAddress> found;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_addrlen > sizeof(sockaddr_storage)) continue;
    SocketAddress address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
    found.push_back(address);
  }
  return found;
}

Result<ListenAddress> parse_unix(const std::string& text) {
  const std::string path = text.substr(5);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path || path.contains('\0')) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("\"{}\": the path of a unix socket has 1 to {} bytes", text, sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return ListenAddress{text, "localhost", {make_address(address)}};
}

}  // namespace

int SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(as_v4(storage).sin_port);
  if (family() == AF_INET6) return ntohs(as_v6(storage).sin6_port);
  return 0;
}

void SocketAddress::set_port(int port) {
  const auto raw = htons(static_cast<std::uint16_t>(port));
  if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_port = raw;
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = raw;
}

bool SocketAddress::is_loopback() const {
  if (family() == AF_UNIX) return true;
  if (family() == AF_INET) return (ntohl(as_v4(storage).sin_addr.s_addr) >> 24) == 127;
  if (family() != AF_INET6) return false;
  const in6_addr& address = as_v6(storage).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&address) || (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
}

std::string SocketAddress::host() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (family() == AF_INET) return ::inet_ntop(AF_INET, &as_v4(storage).sin_addr, text, sizeof text);
  if (family() == AF_INET6) {
    return fmt::format("[{}]", ::inet_ntop(AF_INET6, &as_v6(storage).sin6_addr, text, sizeof text));
  }
  const auto& address = reinterpret_cast<const sockaddr_un&>(storage);
  return {address.sun_path, ::strnlen(address.sun_path, sizeof address.sun_path)};
}

std::string SocketAddress::text() const {
  return family() == AF_UNIX ? "unix:" + host() : fmt::format("{}:{}", host(), port());
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
  if (text.starts_with("unix:")) return parse_unix(text);
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("\"{}\" is no address to listen on: write 127.0.0.1:8080, [::1]:8080, localhost:8080 or "
                            "unix:/path/of/a.sock",
                            text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong();
  std::string host = text.substr(0, colon);
  int port = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc{} || stop != end || port < 0 || port > 65535) return wrong();
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!host.contains(':')) return wrong();
  } else if (host.contains(':')) {
    return wrong();
  }
  ListenAddress parsed{text, host, {}};
  if (host == "localhost") {  // by definition (RFC 6761), whatever a resolver says
    parsed.addresses = {*parse_ip("127.0.0.1"), *parse_ip("::1")};
  } else if (host == "*") {
    parsed.addresses = {*parse_ip("0.0.0.0"), *parse_ip("::")};
  } else if (const auto address = parse_ip(host)) {
    parsed.addresses = {*address};
  } else {
    auto found = look_up(host);
    if (!found) return std::unexpected(found.error());
    parsed.addresses = *std::move(found);
  }
  for (SocketAddress& address : parsed.addresses) address.set_port(port);
  return parsed;
}

SocketAddress peer_address(int socket) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) return {};
  return address;
}

SocketAddress local_address(int socket) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) return {};
  return address;
}

}  // namespace reckon::http
