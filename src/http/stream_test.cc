// Streams: many at once, silent ones, and clients that do not read.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "http/test_server.h"

namespace reckon::http {
namespace {

TEST(Stream, SendsEachWriteAtOnce) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  exchange->begin_stream(200, "text/event-stream", {{"X-Extra", "1"}});
  const Answer head = client.head();
  EXPECT_EQ(head.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(head.header("Content-Type"), "text/event-stream");
  EXPECT_EQ(head.header("X-Extra"), "1");
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(exchange->write("data: " + std::to_string(i)));
    ASSERT_EQ(client.chunk(), "data: " + std::to_string(i));
  }
  exchange->end_stream();
  EXPECT_EQ(client.chunk(), "");
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Stream, CarriesSixtyFourAtOnceFromTwoThreads) {
  constexpr int kStreams = 64;
  constexpr int kWrites = 100;
  TestServer server;
  std::vector<TestClient> clients;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get("/held"));
    exchanges.push_back(server.held.take());
  }
  const auto write = [&](int parity) {
    for (int i_write = 0; i_write < kWrites; ++i_write) {
      for (std::size_t i = static_cast<std::size_t>(parity); i < exchanges.size(); i += 2) {
        if (i_write == 0) exchanges[i]->begin_stream(200, "text/plain", {});
        EXPECT_TRUE(exchanges[i]->write(std::to_string(i) + ","));
        if (i_write == kWrites - 1) exchanges[i]->end_stream();
      }
    }
  };
  std::thread even(write, 0);
  std::thread odd(write, 1);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    std::string expected;
    for (int i_write = 0; i_write < kWrites; ++i_write) expected += std::to_string(i) + ",";
    const Answer answer = clients[i].answer();
    EXPECT_TRUE(answer.is_whole);
    EXPECT_EQ(answer.body, expected);
  }
  even.join();
  odd.join();
}

TEST(Stream, BeatsWhileItIsSilent) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  exchange->set_heartbeat(": ping\n\n", std::chrono::milliseconds(5));
  exchange->begin_stream(200, "text/event-stream", {});
  EXPECT_EQ(client.head().status, 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.chunk(), ": ping\n\n");
  exchange->write("data");
  std::string chunk;
  do {
    chunk = client.chunk().value_or("");
  } while (chunk == ": ping\n\n");
  EXPECT_EQ(chunk, "data");
  exchange->end_stream();
  do {
    chunk = client.chunk().value_or("broken off");
  } while (chunk == ": ping\n\n");
  EXPECT_EQ(chunk, "");
}

TEST(Stream, CutsAClientThatDoesNotReadOnceItsBacklogIsFull) {
  ServerOptions options;
  options.limits.max_stream_backlog_bytes = 64 << 10;
  TestServer server(std::move(options));
  TestClient deaf = server.connect(2048);
  TestClient other = server.connect();
  deaf.send(get("/held"));
  const auto exchange = server.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  exchange->begin_stream(200, "text/plain", {});
  const std::string block(16 << 10, 'x');
  // The system's own buffers take a few megabytes at most.
  int n_writes = 0;
  while (exchange->write(block) && n_writes < 4096) {
    ++n_writes;
    EXPECT_EQ(other.ask(get("/hello")).status, 200);
  }
  EXPECT_LT(n_writes, 4096);
  EXPECT_TRUE(gone.take());
  EXPECT_TRUE(server.ends.size() > 0);
  server.wait_for_connections(1);
  EXPECT_EQ(gone.size(), 0U) << "told twice";
}

TEST(Stream, CutsAClientThatDoesNotReadAfterAWhile) {
  ServerOptions options;
  options.limits.write_timeout = std::chrono::milliseconds(50);
  options.limits.max_stream_backlog_bytes = 64 << 20;
  TestServer server(std::move(options));
  TestClient deaf = server.connect(2048);
  deaf.send(get("/held"));
  const auto exchange = server.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  exchange->begin_stream(200, "text/plain", {});
  EXPECT_TRUE(exchange->write(std::string(16 << 20, 'x')));
  EXPECT_TRUE(gone.take());
  server.wait_for_connections(0);
}

TEST(Stream, CutsAClientThatDoesNotReadAWholeAnswer) {
  ServerOptions options;
  options.limits.write_timeout = std::chrono::milliseconds(50);
  TestServer server(std::move(options));
  TestClient deaf = server.connect(2048);
  deaf.send(get("/held"));
  Response large;
  large.body.assign(16 << 20, 'x');
  server.held.take()->respond(std::move(large));
  const EndSeen end = server.ends.take();
  EXPECT_TRUE(end.client_left);
  EXPECT_EQ(end.status, 200);
  server.wait_for_connections(0);
}

}  // namespace
}  // namespace reckon::http
