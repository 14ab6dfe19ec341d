#include "http/router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reckon::http {
namespace {

class RouterTest : public testing::Test {
 protected:
  void add(std::string method, std::string path) {
    router_.add({std::move(method), std::move(path), [](const std::shared_ptr<Exchange>&) {}});
  }
  std::string pattern(std::string_view path, std::string_view method = "GET") const {
    const Router::Match match = router_.find(method, path);
    return match.route == nullptr ? "" : match.route->path;
  }
  Router router_;
};

TEST_F(RouterTest, TakesSegmentsAndTheRest) {
  add("GET", "/v1/models/{id}");
  add("GET", "/files/{name...}");
  add("GET", "/a/{b}/c/{d}");
  EXPECT_EQ(router_.find("GET", "/v1/models/qwen").parameters, std::vector<std::string>{"qwen"});
  EXPECT_EQ(router_.find("GET", "/files/x/y.js").parameters, std::vector<std::string>{"x/y.js"});
  EXPECT_EQ(router_.find("GET", "/a/1/c/2").parameters, (std::vector<std::string>{"1", "2"}));
  for (const char* nowhere : {"/v1/models", "/v1/models/", "/v1/models/a/b", "/a/1/c", "/a//c/2", "/files", "", "/"}) {
    EXPECT_EQ(pattern(nowhere), "") << nowhere;
  }
}

TEST_F(RouterTest, PrefersThePathThatIsSpelledOut) {
  add("GET", "/{page...}");
  add("GET", "/v1/models/{id}");
  add("GET", "/v1/models/default");
  add("GET", "/");
  EXPECT_EQ(pattern("/v1/models/default"), "/v1/models/default");
  EXPECT_EQ(pattern("/v1/models/other"), "/v1/models/{id}");
  EXPECT_EQ(pattern("/index.html"), "/{page...}");
  EXPECT_EQ(pattern("/"), "/");
}

TEST_F(RouterTest, NamesTheMethodsOfAPath) {
  add("GET", "/x");
  add("POST", "/x");
  EXPECT_EQ(router_.find("PUT", "/x").allowed_methods, "GET, POST");
  EXPECT_EQ(router_.find("POST", "/x").allowed_methods, "");
  EXPECT_EQ(router_.find("PUT", "/y").allowed_methods, "");
  EXPECT_EQ(pattern("/x", "HEAD"), "/x");
}

}  // namespace
}  // namespace reckon::http
