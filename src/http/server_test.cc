// Requests and answers over real sockets.

#include "http/server.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

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
  for (int i = 0; i < 200; ++i) {
    requests += i % 2 == 0 ? post("/echo", std::to_string(i)) : get("/where/" + std::to_string(i));
  }
  client.send(requests);
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(client.answer().body, i % 2 == 0 ? number : "<" + number + ">");
  }
}

TEST(Server, StartsNoRequestBeforeTheAnswerToTheOneBefore) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held") + get("/held"));
  const auto first = server.held.take();
  server.settle();
  EXPECT_EQ(server.held.size(), 0U);
  first->respond({});
  EXPECT_EQ(client.answer().status, 200);
  server.held.take()->respond({});
  EXPECT_EQ(client.answer().status, 200);
}

TEST(Server, AnswersHeadWithoutABody) {
  TestServer server;
  TestClient client = server.connect();
  const Answer answer = client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").answer(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Length"), "5");
  client.send("HEAD /held HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto exchange = server.held.take();
  exchange->begin_stream(200, "text/plain", {});
  EXPECT_EQ(client.answer(true).header("Transfer-Encoding"), "chunked");
  EXPECT_FALSE(exchange->write("nobody reads this"));
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Server, SpeaksToClientsOfHttp10) {
  TestServer server;
  TestClient plain = server.connect();
  const Answer answer = plain.ask("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(plain.is_ended());

  TestClient keeper = server.connect();
  const std::string keep = "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(keeper.ask(keep).header("Connection"), "keep-alive");
  EXPECT_EQ(keeper.ask(keep).body, "hello");

  keeper.send("GET /held HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto exchange = server.held.take();
  exchange->begin_stream(200, "text/plain", {});
  exchange->write("one ");
  exchange->write("two");
  exchange->end_stream();
  const Answer stream = keeper.answer();
  EXPECT_EQ(stream.header("Transfer-Encoding"), "");
  EXPECT_EQ(stream.body, "one two");
}

TEST(Server, SaysContinueWhereItWasAskedTo) {
  TestServer server;
  TestClient client = server.connect();
  const std::string request = post("/echo", "{}", "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - 2));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.ask("{}").body, "{}");
  // The body is there already: nobody waits.
  EXPECT_EQ(client.ask(request).status, 200);
  // Nor where it would be refused.
  const std::string lost = post("/nowhere", "{}", "Expect: 100-continue\r\n");
  EXPECT_EQ(client.ask(lost.substr(0, lost.size() - 2)).status, 404);
  EXPECT_TRUE(client.is_ended());
}

TEST(Server, TakesAChunkedBody) {
  TestServer server;
  TestClient client = server.connect();
  const Answer answer = client.ask(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
  EXPECT_EQ(answer.body, "abcdefg");
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Server, HandsOverWhatTheRouteTook) {
  TestServer server;
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/where/a%20b?q")).body, "<a b>");
  EXPECT_EQ(client.ask(get("/files/a/b.js")).body, "<a/b.js>");
}

TEST(Server, ClosesWhereTheClientAsksForIt) {
  TestServer server;
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/hello", "Connection: close\r\n")).header("Connection"), "close");
  EXPECT_TRUE(client.is_ended());
  client.close();
  server.wait_for_connections(0);
}

TEST(Server, AnswersForAHandlerThatFailsOrForgets) {
  TestServer server;
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/throws")).status, 500);
  EXPECT_EQ(client.ask(get("/drops")).status, 500);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(Server, BreaksOffAStreamThatItsHandlerDrops) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  auto exchange = server.held.take();
  exchange->begin_stream(200, "text/plain", {});
  exchange->write("half");
  exchange.reset();
  const Answer answer = client.answer();
  EXPECT_EQ(answer.body, "half");
  EXPECT_FALSE(answer.is_whole);
}

TEST(Server, EchoesTheRequestIdAndProtectsTheBrowser) {
  TestServer server;
  TestClient client = server.connect();
  const Answer answer = client.ask(get("/hello", "X-Request-Id: my-id.1\r\n"));
  EXPECT_EQ(answer.header("X-Request-Id"), "my-id.1");
  EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  const std::string first = client.ask(get("/nowhere", "X-Request-Id: not sound\r\n")).header("X-Request-Id");
  const std::string second = client.ask(get("/nowhere")).header("X-Request-Id");
  EXPECT_TRUE(first.starts_with("req-"));
  EXPECT_NE(first, second);
}

TEST(Server, ShowsAllowedOriginsOnly) {
  ServerOptions options;
  options.access.origins = {"https://chat.example"};
  TestServer server(std::move(options));
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/hello")).header("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(client.ask(get("/hello", "Origin: https://chat.example\r\n")).header("Access-Control-Allow-Origin"),
            "https://chat.example");
  const Answer preflight = client.ask(
      "OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: https://chat.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://chat.example");
  const Answer refused = client.ask(get("/hello", "Origin: https://evil.example\r\n"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "");
}

TEST(Server, TakesNewAccessForNewRequests) {
  TestServer server;
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  Access access;
  access.keys.push_back({"nobody", {}});
  server.server->set_access(access);
  EXPECT_EQ(client.ask(get("/hello")).status, 401);
  EXPECT_EQ(client.ask(get("/open")).status, 200);
}

TEST(Server, ClosesAfterBytesThatAreNotHttp) {
  TestServer server;
  for (const char* bytes : {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", "GET / HTTP/3.0\r\n\r\n"}) {
    TestClient client = server.connect();
    const Answer answer = client.ask(std::string(bytes) + get("/hello"));
    EXPECT_TRUE(answer.status == 400 || answer.status == 505) << answer.status;
    EXPECT_TRUE(answer.body.starts_with("{\"error\":"));
    EXPECT_TRUE(client.is_ended());
  }
}

TEST(Server, NeverTakesABodyThatItRefusedForARequest) {
  TestServer server;
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(post("/nowhere", get("/hello"))).status, 404);
  EXPECT_TRUE(client.is_ended());
}

TEST(Server, ReportsEveryEnd) {
  TestServer server;
  TestClient client = server.connect();
  client.ask(get("/where/7", "X-Request-Id: first\r\n"));
  const EndSeen first = server.ends.take();
  EXPECT_EQ(first.path, "/where/7");
  EXPECT_EQ(first.route, "/where/{id}");
  EXPECT_EQ(first.client, "127.0.0.1");
  EXPECT_EQ(first.id, "first");
  EXPECT_EQ(first.status, 200);
  EXPECT_GT(first.bytes_sent, 100U);
  EXPECT_FALSE(first.client_left);
  client.ask(get("/nowhere"));
  const EndSeen second = server.ends.take();
  EXPECT_EQ(second.status, 404);
  EXPECT_EQ(second.route, "");
  client.ask("nonsense\r\n\r\n");
  EXPECT_EQ(server.ends.take().status, 400);
}

TEST(Server, RunsWhatIsPostedNowAndLater) {
  TestServer server;
  Box<int> order;
  Box<bool> failed;
  server.server->post([&] { order.put(2); }, std::chrono::milliseconds(20));
  server.server->post([&] { order.put(1); });
  server.server->post([] { throw std::runtime_error("a bug"); });
  EXPECT_EQ(order.take(), 1);
  EXPECT_EQ(order.take(), 2);
  server.server->post([] { FAIL() << "this is never due"; }, std::chrono::hours(1));
}

TEST(Server, DrainsWhatRunsAndRefusesWhatComes) {
  TestServer server;
  TestClient runs = server.connect();
  TestClient idle = server.connect();
  idle.ask(get("/hello"));
  runs.send(get("/held"));
  const auto exchange = server.held.take();
  std::thread drain([&] { server.server->drain(kPatience); });
  Answer refused;
  do {  // the other thread may not have begun
    refused = idle.ask(get("/hello"));
  } while (refused.status == 200 && refused.header("Connection").empty());
  EXPECT_TRUE(refused.status == 503 || refused.status == 200);
  EXPECT_TRUE(idle.is_ended());
  exchange->respond({});
  EXPECT_EQ(runs.answer().status, 200);
  drain.join();
  EXPECT_FALSE(server.connect().is_connected());
}

TEST(Server, DrainsForAsLongAsItsPatience) {
  TestServer server;
  TestClient client = server.connect();
  client.send(get("/held"));
  const auto exchange = server.held.take();
  server.server->drain(std::chrono::milliseconds(10));
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  EXPECT_EQ(gone.size(), 0U);
  server.stop();
  EXPECT_TRUE(gone.take());
  EXPECT_FALSE(exchange->write("late"));
}

TEST(Server, StopsWithExchangesInEveryState) {
  std::vector<std::shared_ptr<Exchange>> exchanges;
  TestServer server;
  std::vector<TestClient> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(server.connect());
  clients[0].send("GET /hel");
  clients[1].send(post("/echo", "{}").substr(0, 60));
  for (int i = 2; i < 6; ++i) {
    clients[static_cast<std::size_t>(i)].send(get("/held"));
    exchanges.push_back(server.held.take());
  }
  exchanges[0]->begin_stream(200, "text/plain", {});
  exchanges[1]->begin_stream(200, "text/plain", {});
  exchanges[1]->set_heartbeat(":\n\n", std::chrono::milliseconds(1));
  exchanges[2]->respond({});
  server.stop();
  for (const auto& exchange : exchanges) {
    EXPECT_FALSE(exchange->write("late"));
    exchange->respond({});
    exchange->end_stream();
  }
}

}  // namespace
}  // namespace reckon::http
