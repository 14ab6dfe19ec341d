#include "server/page.h"

#include <gtest/gtest.h>

#include "server/fake_exchange.h"
#include "server/web_assets.h"

namespace reckon::server {
namespace {

std::string header_of(const http::Response& response, std::string_view name) {
  for (const http::Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

http::Response get(std::vector<http::Header> headers) {
  http::Router router;
  add_page_routes(router);
  http::Request request;
  request.method = "GET";
  request.path = "/";
  request.headers = std::move(headers);
  const auto exchange = std::make_shared<FakeExchange>(request);
  const auto match = router.find("GET", "/");
  EXPECT_NE(match.route, nullptr);
  EXPECT_TRUE(match.route->is_public) << "the page asks for the key";
  match.route->handler(exchange);
  return exchange->wait();
}

TEST(Page, comes_with_its_policy_and_only_packed_where_that_is_understood) {
  const WebAsset* page = find_web_asset("/");
  ASSERT_NE(page, nullptr);
  const http::Response plain = get({});
  EXPECT_EQ(plain.body, page->bytes);
  EXPECT_EQ(header_of(plain, "Content-Encoding"), "");
  EXPECT_EQ(header_of(plain, "Content-Security-Policy"), web_content_security_policy());
  if (page->gzip.empty()) return;
  const http::Response packed = get({{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed.body, page->gzip);
  EXPECT_EQ(header_of(packed, "Content-Encoding"), "gzip");
}

TEST(Page, is_not_sent_again_to_who_has_it) {
  const http::Response known = get({{"If-None-Match", std::string(find_web_asset("/")->etag)}});
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
}

}  // namespace
}  // namespace reckon::server
