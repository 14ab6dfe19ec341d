// Any bytes as the body of a request: one answer, which is JSON or a stream of JSON, and which says what is wrong where
// something is. The first byte chooses the route and what the engine does with the request.

#include <array>
#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/router.h"
#include "server/fake_engine.h"
#include "server/fake_exchange.h"
#include "server/routes.h"
#include "server/service.h"
#include "text/json.h"

namespace {

using namespace reckon;
using namespace reckon::server;

constexpr std::array<std::string_view, 12> kPaths = {
    "/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses", "/tokenize",  "/detokenize",
    "/apply-template",      "/api/chat",       "/api/generate",  "/api/show",     "/api/embed", "/api/embeddings"};

class Served {
 public:
  Served() : service_(ServiceOptions{}) {
    auto model = std::make_unique<ServedModel>();
    auto engine = std::make_unique<FakeEngine>();
    engine->max_requests = INT_MAX;
    engine->script.pieces = {"<thi", "nk>", "hm", "</think>", "{\"a\":", " 1}", "\xE4\xBD\xA0"};
    engine->script.n_thought = 3;
    model->engine = std::move(engine);
    model->chat_template = std::make_shared<FakeTemplate>(ThoughtMarks{"<think>", "</think>"});
    model->id = "Fake-1B";
    model->n_context = 1000;
    service_.attach(std::move(model));
    add_routes(router_, service_);
  }

  http::Response ask(std::string_view path, std::string_view body) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.body = body;
    request.client = "fuzzer";
    request.headers.push_back({"Content-Type", "application/json"});
    const auto match = router_.find(request.method, request.path);
    RECKON_CHECK(match.route != nullptr);
    const auto exchange = std::make_shared<FakeExchange>(std::move(request));
    match.route->handler(exchange);
    http::Response response = exchange->wait();
    RECKON_CHECK(exchange->n_answers() == 1);
    return response;
  }

 private:
  Service service_;
  http::Router router_;
};

void check_json(std::string_view text) {
  const auto json = text::parse_json(text);
  RECKON_CHECK(json.has_value());
}

void check_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    RECKON_CHECK(end != std::string_view::npos);
    check_json(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static Served served;
  const std::string_view path = kPaths[data[0] % kPaths.size()];
  const http::Response response = served.ask(path, {reinterpret_cast<const char*>(data) + 1, size - 1});
  RECKON_CHECK(response.status >= 200 && response.status < 600);
  if (response.status >= 400) {
    const auto json = text::parse_json(response.body);
    RECKON_CHECK(json.has_value() && json->find("error") != nullptr);
    RECKON_CHECK(response.status != 500);  // no input is our own bug
  } else if (response.content_type.starts_with("text/event-stream")) {
    for (const std::string& event : events_of(response.body)) {
      if (event != "[DONE]") check_json(event);
    }
  } else if (response.content_type.starts_with("application/x-ndjson")) {
    check_lines(response.body);
  } else {
    check_json(response.body);
  }
  return 0;
}
