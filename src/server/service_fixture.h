#pragma once
// Tests only: a service over the fake engine, asked without a network.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "http/router.h"
#include "server/fake_engine.h"
#include "server/fake_exchange.h"
#include "server/routes.h"
#include "server/service.h"

namespace reckon::server {

// A path into JSON: "choices.0.message.content". Null where there is none.
inline const text::Json* at(const text::Json& json, std::string_view path) {
  const text::Json* found = &json;
  while (found != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view name = path.substr(0, end);
    if (const auto* array = found->as_array()) {
      const auto index = static_cast<std::size_t>(std::stoul(std::string(name)));
      found = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      found = found->find(name);
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return found;
}

inline text::Json json_of(std::string_view text) {
  auto json = text::parse_json(text);
  EXPECT_TRUE(json.has_value()) << text;
  return json ? *std::move(json) : text::Json{};
}

// The text at a path, "null" for null, "-" where there is none, else the JSON.
inline std::string text_at(const text::Json& json, std::string_view path) {
  const text::Json* found = at(json, path);
  if (found == nullptr) return "-";
  const std::string* string = found->as_string();
  return string != nullptr ? *string : text::dump_json(*found);
}

class ServiceTest : public testing::Test {
 protected:
  explicit ServiceTest(ThoughtMarks marks = {}, bool starts_in_thought = false, ServiceOptions options = {})
      : service_(std::move(options)) {
    auto model = std::make_unique<ServedModel>();
    auto engine = std::make_unique<FakeEngine>();
    engine_ = engine.get();
    model->engine = std::move(engine);
    model->chat_template = std::make_shared<FakeTemplate>(std::move(marks), starts_in_thought);
    model->id = "Fake-1B";
    model->names = {"mine"};
    model->n_context = 1000;
    service_.attach(std::move(model));
    add_routes(router_, service_);
  }

  std::shared_ptr<FakeExchange> send(std::string_view method, std::string_view path, std::string body,
                                     std::string client = "tester") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.body = std::move(body);
    request.client = std::move(client);
    request.headers.push_back({"Content-Type", "application/json"});
    const auto match = router_.find(method, path);
    EXPECT_NE(match.route, nullptr) << path;
    request.parameters = match.parameters;
    auto exchange = std::make_shared<FakeExchange>(std::move(request));
    if (match.route != nullptr) match.route->handler(exchange);
    return exchange;
  }
  std::shared_ptr<FakeExchange> post(std::string_view path, std::string body) {
    return send("POST", path, std::move(body));
  }
  // A chat of one message with these further members: R"(, "stream": true)".
  std::shared_ptr<FakeExchange> chat(std::string_view more = "") {
    return post("/v1/chat/completions",
                R"({"messages": [{"role": "user", "content": "hi"}])" + std::string(more) + "}");
  }
  text::Json chat_json(std::string_view more = "") { return json_of(chat(more)->wait().body); }

  Service service_;
  FakeEngine* engine_;
  http::Router router_;
};

}  // namespace reckon::server
