#include "http/message_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace reckon::http {
namespace {

using namespace std::string_literals;

Limits small_limits() {
  Limits limits;
  limits.max_line_bytes = 200;
  limits.max_header_bytes = 1000;
  limits.max_headers = 20;
  limits.max_body_bytes = 1000;
  return limits;
}

struct Outcome {
  int refused = 0;  // its status
  bool is_done = false;
  std::string method, target, body, rest;
  std::vector<Header> headers;
};

// Shows the parser `bytes` as a connection would, `step` more at a time.
Outcome parse(std::string bytes, std::size_t step = 1 << 20) {
  const Limits limits = small_limits();
  MessageParser parser(limits);
  Outcome outcome;
  std::string inbox;
  for (std::size_t shown = 0; !parser.is_done();) {
    const auto n_taken = parser.feed(inbox);
    if (!n_taken) {
      outcome.refused = n_taken.error().status;
      return outcome;
    }
    inbox.erase(0, *n_taken);
    if (*n_taken > 0) continue;
    if (shown == bytes.size()) break;
    inbox += bytes.substr(shown, step);
    shown = std::min(shown + step, bytes.size());
    if (parser.is_done()) break;
  }
  outcome.is_done = parser.is_done();
  outcome.method = parser.head().method;
  outcome.target = parser.head().target;
  outcome.headers = parser.head().headers;
  outcome.body = parser.take_body();
  outcome.rest = inbox;
  return outcome;
}

std::string chunked(std::string_view body) {
  return "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body);
}

TEST(MessageParser, TakesTheSameFromAnyCutOfTheBytes) {
  const std::string length = "POST /a?b HTTP/1.1\r\nHost: h\r\nX-Odd:\t v  w \r\nContent-Length: 5\r\n\r\nhello";
  const std::string chunks = chunked("3;x=y\r\nhel\r\n0002\r\nlo\r\n0\r\nTrailer: z\r\n\r\n");
  for (std::size_t step = 1; step < 40; ++step) {
    const Outcome first = parse(length, step);
    ASSERT_TRUE(first.is_done) << step;
    EXPECT_EQ(first.method, "POST");
    EXPECT_EQ(first.target, "/a?b");
    EXPECT_EQ(first.body, "hello");
    ASSERT_EQ(first.headers.size(), 3U);
    EXPECT_EQ(first.headers[1].value, "v  w");
    const Outcome second = parse(chunks, step);
    ASSERT_TRUE(second.is_done) << step;
    EXPECT_EQ(second.body, "hello");
    EXPECT_EQ(second.headers.size(), 2U) << "a trailer became a header";
  }
}

TEST(MessageParser, LeavesTheNextRequestAlone) {
  const std::string next = "GET /next HTTP/1.1\r\n\r\n";
  EXPECT_EQ(parse("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}" + next).rest, next);
  EXPECT_EQ(parse(chunked("2\r\n{}\r\n0\r\n\r\n") + next).rest, next);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\n\r\n" + next).rest, next);
}

TEST(MessageParser, TakesAnEmptyChunkedBodyByteByByte) {
  const Outcome outcome = parse(chunked("0\r\n\r\n"), 1);
  EXPECT_TRUE(outcome.is_done);
  EXPECT_EQ(outcome.body, "");
}

TEST(MessageParser, SkipsAnEmptyLineInFront) { EXPECT_EQ(parse("\r\nGET / HTTP/1.1\r\n\r\n").target, "/"); }

TEST(MessageParser, RefusesWhatSmugglingLivesOn) {
  const auto with = [](std::string_view headers, std::string_view body = "") {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n" + std::string(body);
  };
  struct Case {
    const char* name;
    std::string bytes;
    int status;
  };
  const Case cases[] = {
      {"both lengths", with("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nG"), 400},
      {"both, the other way", with("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", "0\r\n\r\nG"), 400},
      {"two lengths", with("Content-Length: 2\r\nContent-Length: 30\r\n", "{}"), 400},
      {"two equal lengths", with("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400},
      {"list of lengths", with("Content-Length: 2, 2\r\n", "{}"), 400},
      {"negative length", with("Content-Length: -1\r\n", "{}"), 400},
      {"plus", with("Content-Length: +5\r\n", "hello"), 400},
      {"hexadecimal", with("Content-Length: 0x10\r\n"), 400},
      {"empty", with("Content-Length:\r\n"), 400},
      {"two numbers", with("Content-Length: 1 2\r\n"), 400},
      {"more than 64 bits", with("Content-Length: 18446744073709551616\r\n"), 400},
      {"unknown coding", with("Transfer-Encoding: xchunked\r\n"), 501},
      {"two codings", with("Transfer-Encoding: chunked, identity\r\n"), 501},
      {"identity", with("Transfer-Encoding: identity\r\n"), 501},
      {"chunked twice", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"chunked of 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"blank before the colon", with("Content-Length : 2\r\n", "{}"), 400},
      {"blank in a name", with("X Y: 2\r\n"), 400},
      {"no name", with(": 2\r\n"), 400},
      {"no colon", with("nocolon\r\n"), 400},
      {"folded line", with("X-A: b\r\n\tfolded\r\n"), 400},
      {"folded first line", with(" X-A: b\r\n"), 400},
      {"bare line feed", with("X-A: b\nX-B: c\r\n"), 400},
      {"bare carriage return", with("X-A: b\rX-B: c\r\n"), 400},
      {"NUL", with("X-A: b\0c\r\n"s), 400},
      {"NUL in the target", "GET /a\0b HTTP/1.1\r\n\r\n"s, 400},
      {"no version", "GET /\r\n\r\n", 400},
      {"two blanks", "GET  / HTTP/1.1\r\n\r\n", 400},
      {"no method", " / HTTP/1.1\r\n\r\n", 400},
      {"odd method", "G@T / HTTP/1.1\r\n\r\n", 400},
      {"version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"lower case version", "GET / http/1.1\r\n\r\n", 505},
      {"TLS", "\x16\x03\x01\x02"s, 400},
      {"many empty lines", "\r\n\r\n\r\n\r\n\r\n\r\n", 400},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(parse(c.bytes).refused, c.status) << c.name;
    EXPECT_EQ(parse(c.bytes, 1).refused, c.status) << c.name << ", a byte at a time";
  }
}

TEST(MessageParser, RefusesChunksThatAreNone) {
  const std::string bad[] = {
      "zz\r\n{}\r\n0\r\n\r\n",
      "-1\r\n{}\r\n0\r\n\r\n",
      "0x2\r\n{}\r\n0\r\n\r\n",
      "\r\n{}\r\n0\r\n\r\n",
      "2\r\n{}XX0\r\n\r\n",
      "2\n{}\n0\n\n",
      " 2\r\n{}\r\n0\r\n\r\n",
      "2\r\n{}\r\n0\r\nX y: z\r\n\r\n",
      "2\r\n{}\r\n0\r\nX: y\nZ: a\r\n\r\n",
      "1" + std::string(40, '0') + "\r\n",
      "2;a=\"b\"\r\n{}\r\n0\r\n\r\n",
      "2;a=\"b\r\n{}\r\n0\r\n\r\n",
  };
  for (const std::string& body : bad) {
    EXPECT_EQ(parse(chunked(body)).refused, 400) << body;
    EXPECT_EQ(parse(chunked(body), 1).refused, 400) << body;
  }
}

TEST(MessageParser, HoldsTheLimits) {
  EXPECT_EQ(parse("GET /" + std::string(300, 'a') + " HTTP/1.1\r\n\r\n").refused, 414);
  EXPECT_EQ(parse("GET /" + std::string(300, 'a')).refused, 414);
  EXPECT_EQ(parse(std::string(300, 'G')).refused, 414);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nX: " + std::string(300, 'a')).refused, 431);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\n" + std::string(300, 'N')).refused, 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 20; ++i) many += "A: b\r\n";
  EXPECT_TRUE(parse(many + "\r\n").is_done);
  EXPECT_EQ(parse(many + "A: b\r\n\r\n").refused, 431);
  std::string large = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10; ++i) large += "A: " + std::string(150, 'b') + "\r\n";
  EXPECT_EQ(parse(large + "\r\n").refused, 431);
}

TEST(MessageParser, CountsTheBodyOfChunksAsItComes) {
  const std::string thousand = "3e8\r\n" + std::string(1000, ' ') + "\r\n";
  EXPECT_TRUE(parse(chunked(thousand + "0\r\n\r\n")).is_done);
  EXPECT_EQ(parse(chunked(thousand + "1\r\n \r\n0\r\n\r\n")).refused, 413);
  EXPECT_EQ(parse(chunked("ffffffffffffffff\r\n{}\r\n")).refused, 413);
  EXPECT_EQ(parse(chunked("2;" + std::string(300, 'a') + "\r\n")).refused, 431);
  EXPECT_EQ(parse(chunked("2;" + std::string(300, 'a'))).refused, 431);
  EXPECT_EQ(parse(chunked("0\r\nX: " + std::string(300, 'a'))).refused, 431);
  std::string tiny;
  for (int i = 0; i < 1000; ++i) tiny += "1\r\n \r\n";
  EXPECT_EQ(parse(chunked(tiny + "0\r\n\r\n")).body.size(), 1000U);
}

TEST(MessageParser, HoldsTheLineOfAChunkHoweverTheBytesAreCut) {
  const auto fill = [](std::string_view begin, std::string_view end, std::size_t n) {
    return std::string(begin) + std::string(n - begin.size() - end.size(), 'a') + std::string(end);
  };
  const std::size_t most = small_limits().max_line_bytes;
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{100000}}) {
    const auto refused = [&](const std::string& body) { return parse(chunked(body), step).refused; };
    EXPECT_EQ(refused(fill("2;", "\r\n", most) + "{}\r\n0\r\n\r\n"), 0) << step;
    EXPECT_EQ(refused(fill("2;", "\r\n", most + 1) + "{}\r\n0\r\n\r\n"), 431) << step;
    EXPECT_EQ(refused("2\r\n{}\r\n" + fill("0\r\nX: ", "\r\n\r\n", most)), 0) << step;
    EXPECT_EQ(refused("2\r\n{}\r\n" + fill("0\r\nX: ", "\r\n\r\n", most + 1)), 431) << step;
    EXPECT_EQ(refused(fill("0;", "\r\n\r\n", most + 1)), 431) << step;
  }
}

TEST(MessageParser, KnowsWhetherAnotherRequestMayFollow) {
  const auto keeps_alive = [](const std::string& bytes) {
    const Limits limits = small_limits();
    MessageParser parser(limits);
    EXPECT_TRUE(parser.feed(bytes));
    return parser.head().keeps_alive;
  };
  EXPECT_TRUE(keeps_alive("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps_alive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace reckon::http
