#include "server/page.h"

#include <memory>
#include <string>

#include "server/web_assets.h"

namespace reckon::server {
namespace {

void respond_file(http::Exchange& exchange, const WebAsset& asset) {
  const http::Request& request = exchange.request();
  http::Response response;
  response.content_type = asset.content_type;
  response.headers = {{"ETag", std::string(asset.etag)},
                      {"Cache-Control", std::string(cache_control(asset))},
                      {"Content-Security-Policy", std::string(web_content_security_policy())},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("If-None-Match") == asset.etag) {
    response.status = 304;
    return exchange.respond(std::move(response));
  }
  const bool is_packed = !asset.gzip.empty() && accepts_gzip(request.header("Accept-Encoding"));
  if (!asset.gzip.empty()) response.headers.push_back({"Vary", "Accept-Encoding"});
  if (is_packed) response.headers.push_back({"Content-Encoding", "gzip"});
  response.body = is_packed ? asset.gzip : asset.bytes;
  exchange.respond(std::move(response));
}

}  // namespace

void add_page_routes(http::Router& router) {
  for (const WebAsset& asset : web_assets()) {
    router.add(
        {.method = "GET",
         .path = std::string(asset.path),
         .handler = [&asset](const std::shared_ptr<http::Exchange>& exchange) { respond_file(*exchange, asset); },
         .is_public = true});
  }
}

}  // namespace reckon::server
