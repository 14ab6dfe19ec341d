#include "server/api_document.h"

#include <set>

#include "server/service_fixture.h"
#include "server/web_assets.h"

namespace reckon::server {
namespace {

using ApiDocumentTest = ServiceTest;

TEST_F(ApiDocumentTest, EachRouteIsInTheDocumentAndTheOtherWayRound) {
  std::set<std::string> documented;
  const text::Json document = json_of(api_document());
  const text::Json* paths = document.find("paths");
  ASSERT_NE(paths, nullptr);
  for (const text::JsonMember& path : *paths->as_object()) {
    for (const text::JsonMember& operation : *path.value.as_object())
      documented.insert(operation.name + " " + path.name);
  }
  std::set<std::string> routes;
  for (const http::Route& route : router_.routes()) {
    if (find_web_asset(route.path) != nullptr) continue;  // a file of the page is no part of the API
    std::string name;
    for (const char c : route.method) name += static_cast<char>(c - 'A' + 'a');
    name += " " + route.path;
    if (const auto rest = name.find("...}"); rest != name.npos) name.replace(rest, 4, "}");
    routes.insert(name);
    const text::Json* path = paths->find(name.substr(name.find(' ') + 1));
    if (path == nullptr) continue;  // the comparison below tells
    const bool open_to_all = text_at(*path, name.substr(0, name.find(' ')) + ".security") == "[]";
    EXPECT_EQ(open_to_all, route.is_public) << name;
  }
  EXPECT_EQ(documented, routes);
}

TEST_F(ApiDocumentTest, TheDocumentIsServed) {
  EXPECT_EQ(send("GET", "/openapi.json", "")->wait().body, api_document());
}

}  // namespace
}  // namespace reckon::server
