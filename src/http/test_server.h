#pragma once
// A server on a free port of the loopback, for the tests of this folder.

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "http/test_client.h"

namespace reckon::http {

inline constexpr std::chrono::seconds kPatience{10};  // no test waits longer for what has to come

// Hands values from the I/O thread to the test.
template <class T>
class Box {
 public:
  void put(T value) {
    const std::scoped_lock lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_all();
  }
  T take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [this] { return !values_.empty(); })) {
      ADD_FAILURE() << "nothing was handed over";
      return T{};
    }
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
};

// A copy of what an ExchangeEnd says.
struct EndSeen {
  std::string path;
  std::string route;
  std::string client;
  std::string id;
  int status = 0;
  std::uint64_t bytes_sent = 0;
  bool client_left = false;
};

// GET /hello "hello"; POST /echo the body; /held (GET, POST) hands the exchange to the test; GET /where/{id} and
// /files/{path...} what they took; GET /throws, GET /drops; GET /open is public.
class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}) {
    if (options.listen.empty()) options.listen = {"127.0.0.1:0"};
    auto started = Server::start(std::move(options), routes(), [this](const ExchangeEnd& end) {
      ends.put({end.request->path, end.route, end.request->client, end.request->id, end.status, end.bytes_sent,
                end.client_left});
    });
    if (!started) {
      ADD_FAILURE() << started.error().message;
      return;
    }
    server = *std::move(started);
    address = server->addresses().front();
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void stop() { server.reset(); }
  [[nodiscard]] TestClient connect(int receive_buffer_bytes = 0) const {
    return TestClient(address, receive_buffer_bytes);
  }
  // Runs on the I/O thread, so after all that it was busy with.
  void settle() {
    Box<bool> done;
    server->post([&] { done.put(true); });
    done.take();
  }
  void wait_for_connections(int n) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (server->n_connections() != n && std::chrono::steady_clock::now() < deadline) settle();
    EXPECT_EQ(server->n_connections(), n);
  }

  Box<std::shared_ptr<Exchange>> held;
  Box<EndSeen> ends;
  std::unique_ptr<Server> server;
  std::string address;

 private:
  static void respond_text(Exchange& exchange, std::string text) {
    Response response;
    response.content_type = "text/plain";
    response.body = std::move(text);
    exchange.respond(std::move(response));
  }
  static void respond_parameters(const std::shared_ptr<Exchange>& exchange) {
    std::string text;
    for (const std::string& parameter : exchange->request().parameters) text += "<" + parameter + ">";
    respond_text(*exchange, text);
  }

  Router routes() {
    Router router;
    const auto hold = [this](std::shared_ptr<Exchange> exchange) { held.put(std::move(exchange)); };
    const auto hello = [](const std::shared_ptr<Exchange>& exchange) { respond_text(*exchange, "hello"); };
    router.add({"GET", "/hello", hello});
    router.add({"GET", "/open", hello, true});
    router.add({"POST", "/echo",
                [](const std::shared_ptr<Exchange>& exchange) { respond_text(*exchange, exchange->request().body); }});
    router.add({"GET", "/held", hold});
    router.add({"POST", "/held", hold});
    router.add({"GET", "/where/{id}", respond_parameters});
    router.add({"GET", "/files/{path...}", respond_parameters});
    router.add({"GET", "/throws", [](const std::shared_ptr<Exchange>&) { throw std::runtime_error("a bug"); }});
    router.add({"GET", "/drops", [](const std::shared_ptr<Exchange>&) {}});
    return router;
  }
};

inline std::string get(std::string_view path, std::string_view more_headers = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more_headers) + "\r\n";
}

inline std::string post(std::string_view path, std::string_view body, std::string_view more_headers = {}) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace reckon::http
