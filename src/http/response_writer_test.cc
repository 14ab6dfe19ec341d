#include "http/response_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "http/error_response.h"
#include "text/json.h"

namespace reckon::http {
namespace {

using namespace std::string_literals;

std::string head(const Response& response, const Framing& framing = {}) {
  std::string out;
  append_response_head(out, response, framing);
  return out;
}

TEST(ResponseWriter, LetsNoLineIntoAHeader) {
  Response response;
  response.content_type = "text/plain\r\nSet-Cookie: a";
  response.headers = {{"X-A", "b\r\nSet-Cookie: a"},
                      {"X-B\r\nSet-Cookie", "a"},
                      {"X-Line", "d\ne"},
                      {"X-Nul", "e\0f"s},
                      {"X E", "f"},
                      {"", "g"},
                      {"X-Good", "ok"}};
  const std::string text = head(response);
  EXPECT_FALSE(text.contains("Set-Cookie"));
  EXPECT_FALSE(text.contains("X-Line"));
  EXPECT_FALSE(text.contains("X-Nul"));
  EXPECT_FALSE(text.contains("X E"));
  EXPECT_TRUE(text.contains("\r\nX-Good: ok\r\n"));
}

TEST(ResponseWriter, KeepsTheFramingToItself) {
  Response response;
  response.headers = {{"content-length", "5"}, {"Transfer-Encoding", "gzip"}, {"Connection", "upgrade"}};
  Framing framing;
  framing.content_length = 7;
  framing.request_id = "id-1";
  const std::string text = head(response, framing);
  EXPECT_FALSE(text.contains("gzip"));
  EXPECT_FALSE(text.contains("upgrade"));
  EXPECT_TRUE(text.contains("\r\nContent-Length: 7\r\n"));
  EXPECT_TRUE(text.contains("\r\nX-Request-Id: id-1\r\n"));
}

TEST(ResponseWriter, ProtectsTheBrowserUnlessTheHandlerKnowsBetter) {
  Response response;
  EXPECT_TRUE(head(response).contains("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_TRUE(head(response).contains("\r\nCache-Control: no-store\r\n"));
  EXPECT_FALSE(head(response).contains("Access-Control"));
  response.headers = {{"cache-control", "max-age=60"}};
  EXPECT_FALSE(head(response).contains("no-store"));
}

TEST(ResponseWriter, NeverEndsAStreamWithAnEmptyChunk) {
  std::string out;
  append_chunk(out, "");
  EXPECT_EQ(out, "");
  append_chunk(out, std::string(26, 'x'));
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(ErrorResponse, HasTheFormOfOpenAi) {
  ErrorBody error;
  error.status = 429;
  error.message = "a \"quoted\"\nline \xff";
  error.param = "messages";
  error.retry_after_s = 7;
  const Response response = error_response(error);
  const auto json = text::parse_json(response.body);
  ASSERT_TRUE(json);
  const text::Json* body = json->find("error");
  ASSERT_NE(body, nullptr);
  EXPECT_EQ(*body->find("message")->as_string(), "a \"quoted\"\nline \xEF\xBF\xBD");
  EXPECT_EQ(*body->find("type")->as_string(), "rate_limit_error");
  EXPECT_EQ(*body->find("param")->as_string(), "messages");
  EXPECT_TRUE(body->find("code")->is_null());
  EXPECT_EQ(response.headers.at(0).value, "7");
  EXPECT_EQ(error_type(400), "invalid_request_error");
  EXPECT_EQ(error_type(503), "server_error");
}

}  // namespace
}  // namespace reckon::http
