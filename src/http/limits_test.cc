// What a client may cost, over real sockets. What needs no socket is in message_parser_test.cc.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "http/test_server.h"

namespace reckon::http {
namespace {

using std::chrono::milliseconds;

TEST(Limits, CutHeadsThatAreTooLong) {
  TestServer server;
  const std::string mebibyte(1 << 20, 'a');
  EXPECT_EQ(server.connect().ask(get("/" + mebibyte)).status, 414);
  EXPECT_EQ(server.connect().ask(get("/hello", "X: " + mebibyte + "\r\n")).status, 431);
  EXPECT_EQ(server.connect().ask(get("/hello", mebibyte + ": x\r\n")).status, 431);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(server.connect().ask(get("/hello", many)).status, 431);
}

TEST(Limits, RefuseALargeBodyBeforeItIsRead) {
  TestServer server;
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
  for (const char* length : {"16777217", "10737418240", "9223372036854775808"}) {
    TestClient client = server.connect();
    EXPECT_EQ(client.ask(head + length + "\r\n\r\n{").status, 413) << length;
    EXPECT_TRUE(client.is_ended());
  }
}

// The answer has to get through although the client sends on; a plain close would reset the connection.
TEST(Limits, LetTheAnswerThroughToAClientThatStillSends) {
  ServerOptions options;
  options.limits.max_body_bytes = 1000;
  TestServer server(std::move(options));
  for (int i = 0; i < 20; ++i) {
    TestClient client = server.connect();
    EXPECT_EQ(client.ask(post("/echo", std::string(8 << 20, ' '))).status, 413);
  }
}

TEST(Limits, CountAChunkedBodyAsItComes) {
  ServerOptions options;
  options.limits.max_body_bytes = 1000;
  TestServer server(std::move(options));
  TestClient client = server.connect();
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) client.send("64\r\n" + std::string(100, ' ') + "\r\n");
  EXPECT_EQ(client.answer().status, 413);
  EXPECT_TRUE(client.is_ended());
}

TEST(Limits, EndAHeadThatTakesTooLong) {
  ServerOptions options;
  options.limits.header_timeout = milliseconds(30);
  TestServer server(std::move(options));
  TestClient client = server.connect();
  const Answer answer = client.ask("GET /hello HTTP/1.1\r\nHost: lo");
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(answer.body.contains("invalid_request_error"));
  EXPECT_TRUE(client.is_ended());
}

TEST(Limits, EndABodyThatStops) {
  ServerOptions options;
  options.limits.body_timeout = milliseconds(30);
  TestServer server(std::move(options));
  TestClient client = server.connect();
  const std::string request = post("/echo", "{\"a\": 1}");
  EXPECT_EQ(client.ask(request.substr(0, request.size() - 2)).status, 408);
  EXPECT_TRUE(client.is_ended());
}

TEST(Limits, CloseAnIdleConnectionWithoutAWord) {
  ServerOptions options;
  options.limits.idle_timeout = milliseconds(30);
  TestServer server(std::move(options));
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  EXPECT_EQ(client.read_all(), "");
}

TEST(Limits, DoNotEndARequestThatIsBeingAnswered) {
  ServerOptions options;
  options.limits.header_timeout = options.limits.idle_timeout = options.limits.body_timeout = milliseconds(10);
  TestServer server(std::move(options));
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  Box<bool> later;
  server.server->post([&] { later.put(true); }, milliseconds(60));
  later.take();
  exchange->respond({});
  EXPECT_EQ(client.answer().status, 200);
}

TEST(Limits, TellAConnectionTooManySo) {
  ServerOptions options;
  options.limits.max_connections = 2;
  TestServer server(std::move(options));
  TestClient first = server.connect();
  TestClient second = server.connect();
  EXPECT_EQ(first.ask(get("/hello")).status, 200);
  EXPECT_EQ(second.ask(get("/hello")).status, 200);
  TestClient third = server.connect();
  const Answer answer = third.ask(get("/hello"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.body.contains("server_error"));
  EXPECT_TRUE(third.is_ended());
  first.close();
  server.wait_for_connections(1);
  EXPECT_EQ(server.connect().ask(get("/hello")).status, 200);
}

TEST(Limits, LeavePipelinedRequestsInTheSystemsBuffers) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  std::string requests;
  for (int i = 0; i < 5000; ++i) requests += get("/hello", "X-Padding: " + std::string(40, 'x') + "\r\n");
  std::thread sender([&] { client.send(requests); });
  server.settle();
  exchange->respond({});
  EXPECT_EQ(client.answer().status, 200);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(client.answer().body, "hello");
  sender.join();
}

TEST(Limits, AskForTheKeyBeforeTheBodyIsRead) {
  ServerOptions options;
  options.access.keys.push_back({"nobody", {}});
  TestServer server(std::move(options));
  TestClient client = server.connect();
  // The body never comes.
  EXPECT_EQ(client.ask(post("/echo", std::string(100, ' ')).substr(0, 110)).status, 401);
}

}  // namespace
}  // namespace reckon::http
