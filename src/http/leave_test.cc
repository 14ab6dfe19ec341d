// A client that leaves is noticed at once, in each phase, and nobody else feels it.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "http/test_server.h"

namespace reckon::http {
namespace {

enum class Way { kClose, kReset };

class Leave : public testing::TestWithParam<Way> {
 protected:
  static void leave(TestClient& client) { GetParam() == Way::kClose ? client.close() : client.reset(); }
  TestServer server_;
};

TEST_P(Leave, WhileItsHandlerWorks) {
  TestClient client = server_.connect();
  client.send(get("/held"));
  const auto exchange = server_.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  leave(client);
  EXPECT_TRUE(gone.take());
  exchange->begin_stream(200, "text/plain", {});
  EXPECT_FALSE(exchange->write("late"));
  exchange->respond({});
  const EndSeen end = server_.ends.take();
  EXPECT_TRUE(end.client_left);
  EXPECT_EQ(end.status, 0);
  server_.wait_for_connections(0);
  EXPECT_EQ(gone.size(), 0U) << "told twice";
}

TEST_P(Leave, BeforeTheHandlerAsksToBeTold) {
  TestClient client = server_.connect();
  client.send(get("/held"));
  const auto exchange = server_.held.take();
  leave(client);
  server_.ends.take();
  bool gone = false;
  exchange->on_gone([&] { gone = true; });
  EXPECT_TRUE(gone);
}

TEST_P(Leave, AmidASilentStream) {
  TestClient client = server_.connect();
  client.send(get("/held"));
  const auto exchange = server_.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  exchange->begin_stream(200, "text/plain", {});
  exchange->write("some");
  client.head();
  client.chunk();
  leave(client);
  EXPECT_TRUE(gone.take());
  EXPECT_EQ(server_.ends.take().status, 200);
  EXPECT_FALSE(exchange->write("late"));
}

TEST_P(Leave, AmidAStreamThatKeepsWriting) {
  TestClient client = server_.connect();
  client.send(get("/held"));
  const auto exchange = server_.held.take();
  exchange->begin_stream(200, "text/plain", {});
  exchange->write("some");
  client.head();
  leave(client);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (exchange->write("more") && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_FALSE(exchange->write("more"));
  EXPECT_TRUE(server_.ends.take().client_left);
}

TEST_P(Leave, WithAnotherRequestBehind) {
  TestClient client = server_.connect();
  client.send(get("/held") + get("/held"));
  const auto exchange = server_.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  leave(client);
  EXPECT_TRUE(gone.take());
  server_.wait_for_connections(0);
  EXPECT_EQ(server_.held.size(), 0U) << "work was begun for a client that is gone";
}

TEST_P(Leave, BeforeAndAmidHeadAndBody) {
  const std::string request = post("/held", "{\"a\": 1}");
  for (std::size_t n_sent = 0; n_sent < request.size(); n_sent += 7) {
    TestClient client = server_.connect();
    client.send(request.substr(0, n_sent));
    leave(client);
  }
  server_.wait_for_connections(0);
  EXPECT_EQ(server_.held.size(), 0U);
  EXPECT_EQ(server_.connect().ask(get("/hello")).status, 200);
}

TEST_P(Leave, TouchesNobodyElse) {
  TestClient stays = server_.connect();
  stays.send(get("/held"));
  const auto kept = server_.held.take();
  Box<bool> gone;
  kept->on_gone([&] { gone.put(true); });
  for (int i = 0; i < 20; ++i) {
    TestClient client = server_.connect();
    client.send(get("/held"));
    const auto exchange = server_.held.take();
    leave(client);
    EXPECT_TRUE(server_.ends.take().client_left);
  }
  EXPECT_EQ(gone.size(), 0U);
  kept->respond({});
  EXPECT_EQ(stays.answer().status, 200);
}

INSTANTIATE_TEST_SUITE_P(Ways, Leave, testing::Values(Way::kClose, Way::kReset),
                         [](const auto& param) { return param.param == Way::kClose ? "Close" : "Reset"; });

TEST(HalfClose, StillGetsWhatIsAnsweredAtOnce) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/hello") + post("/echo", "{}"));
  client.shutdown_write();
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(client.answer().body, "{}");
  EXPECT_TRUE(client.is_ended());
}

TEST(HalfClose, CountsAsLeavingWhileTheHandlerWorks) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  client.shutdown_write();
  EXPECT_TRUE(gone.take());
}

TEST(Connections, ComeAndGo) {
  TestServer server;
  for (int round = 0; round < 4; ++round) {
    std::vector<TestClient> clients;
    for (int i = 0; i < 50; ++i) clients.push_back(server.connect());
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (i % 5 == 0) clients[i].send("GET /hel");
      if (i % 5 == 1) clients[i].send(get("/hello"));
      if (i % 5 == 2) {
        EXPECT_EQ(clients[i].ask(get("/hello")).status, 200);
      }
      if (i % 5 == 3) clients[i].send(get("/held"));
      if (i % 5 == 4) clients[i].reset();
    }
    for (int i = 0; i < 10; ++i) server.held.take();
  }
  server.wait_for_connections(0);
}

}  // namespace
}  // namespace reckon::http
