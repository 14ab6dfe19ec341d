// Requests and answers over real sockets.

#include "http/server.h"

#include <gtest/gtest.h>

#include <string>

#include "http/test_server.h"

namespace reckon::http {
namespace {

TEST(Server, AnswersManyRequestsOnOneConnection) {
  TestServer server;
  TestClient client = server.connect();
  for (int i = 0; i < 100; ++i) {
    const Answer answer = client.ask(get("/hello"));
    ASSERT_EQ(answer.status, 200);
    ASSERT_EQ(answer.body, "hello");
    ASSERT_EQ(answer.header("Connection"), "");
  }
  EXPECT_EQ(server.server->n_connections(), 1);
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
  TestServer server;
  TestClient client = server.connect();
  std::string requests;
  for (int i = 0; i < 200; ++i)
    requests += i % 2 == 0 ? post("/echo", std::to_string(i)) : get("/where/" + std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(client.answer().body, i % 2 == 0 ? number : "<" + number + ">");
  }
}

TEST(Server, StreamsEachWriteAtOnce) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  exchange->begin_stream(200, "text/event-stream", {});
  EXPECT_EQ(client.head().header("Transfer-Encoding"), "chunked");
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(exchange->write("data: " + std::to_string(i)));
    ASSERT_EQ(client.chunk(), "data: " + std::to_string(i));
  }
  exchange->end_stream();
  EXPECT_EQ(client.chunk(), "");
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

}  // namespace
}  // namespace reckon::http
