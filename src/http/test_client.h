#pragma once
// A blocking client for the tests of this folder: raw bytes out, one answer at a time in. Fails the test where an
// answer does not come in ten seconds, so that no test hangs.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/exchange.h"
#include "http/field_text.h"

namespace reckon::http {

struct Answer {
  int status = 0;  // 0: the connection ended before any
  std::vector<Header> headers;
  std::string body;
  bool is_whole = false;  // the body came to its end
  [[nodiscard]] std::string header(std::string_view name) const {
    for (const Header& header : headers) {
      if (equals_ignoring_case(header.name, name)) return header.value;
    }
    return {};
  }
};

class TestClient {
 public:
  // "127.0.0.1:1234", "[::1]:1234" or "unix:/path".
  explicit TestClient(const std::string& address, int receive_buffer_bytes = 0) {
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (address.starts_with("unix:")) {
      auto& un = reinterpret_cast<sockaddr_un&>(storage);
      un.sun_family = AF_UNIX;
      std::strncpy(un.sun_path, address.c_str() + 5, sizeof un.sun_path - 1);
      size = sizeof un;
    } else {
      const auto port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
      if (address.starts_with('[')) {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = in6addr_loopback;
        v6.sin6_port = port;
        size = sizeof v6;
      } else {
        auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v4.sin_port = port;
        size = sizeof v4;
      }
    }
    fd_ = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes > 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    is_connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&storage), size) == 0;
  }
  ~TestClient() { close(); }
  TestClient(TestClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), is_connected_(other.is_connected_), input_(std::move(other.input_)) {}
  TestClient& operator=(TestClient&&) = delete;

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] int fd() const { return fd_; }
  // Bytes that the server no longer takes are lost without a word: its answer tells.
  TestClient& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return *this;
  }
  void shutdown_write() { ::shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void reset() {  // without the farewell of TCP
    const linger hard{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

  // The next n bytes, fewer where the connection ends.
  std::string read(std::size_t n) {
    while (input_.size() < n && more()) {
    }
    std::string bytes = input_.substr(0, n);
    input_.erase(0, bytes.size());
    return bytes;
  }
  std::string read_until(std::string_view end) {
    while (!input_.contains(end) && more()) {
    }
    const std::size_t at = input_.find(end);
    return read(at == std::string::npos ? input_.size() : at + end.size());
  }
  std::string read_all() {
    while (more()) {
    }
    return std::exchange(input_, {});
  }
  // The connection has ended, cleanly or not.
  bool is_ended() { return read_all().empty(); }

  Answer head() {
    Answer answer;
    std::string_view rest;
    const std::string text = read_until("\r\n\r\n");
    rest = text;
    if (!rest.starts_with("HTTP/1.1 ") || rest.size() < 12) return answer;
    answer.status = std::stoi(text.substr(9, 3));
    rest.remove_prefix(rest.find("\r\n") + 2);
    while (rest.size() > 2) {
      const std::size_t end = rest.find("\r\n");
      const std::string_view line = rest.substr(0, end);
      const std::size_t colon = line.find(':');
      answer.headers.push_back({std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
      rest.remove_prefix(end + 2);
    }
    return answer;
  }
  // The data of the next chunk; empty: the last one, none where the stream broke off.
  std::optional<std::string> chunk() {
    const std::string line = read_until("\r\n");
    std::size_t size = 0;
    if (!line.ends_with("\r\n") ||
        std::from_chars(line.data(), line.data() + line.size() - 2, size, 16).ec != std::errc{}) {
      return std::nullopt;
    }
    std::string data = read(size + 2);
    if (!data.ends_with("\r\n") || data.size() != size + 2) return std::nullopt;
    data.resize(size);
    return data;
  }
  Answer answer(bool to_head = false) {
    Answer answer = head();
    if (answer.status == 0) return answer;
    if (to_head || answer.status == 204 || answer.status == 304) {
      answer.is_whole = true;
    } else if (answer.header("Transfer-Encoding") == "chunked") {
      while (const auto data = chunk()) {
        if (data->empty()) {
          answer.is_whole = true;
          break;
        }
        answer.body += *data;
      }
    } else if (const std::string length = answer.header("Content-Length"); !length.empty()) {
      answer.body = read(static_cast<std::size_t>(std::stoul(length)));
      answer.is_whole = answer.body.size() == std::stoul(length);
    } else {
      answer.body = read_all();
      answer.is_whole = true;
    }
    return answer;
  }
  Answer ask(std::string_view request) { return send(request).answer(); }

 private:
  // False: the end.
  bool more() {
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, 10'000) != 1) {
      ADD_FAILURE() << "nothing came for ten seconds";
      return false;
    }
    char buffer[16384];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  int fd_ = -1;
  bool is_connected_ = false;
  std::string input_;
};

}  // namespace reckon::http
