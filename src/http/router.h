#pragma once
// Which handler answers which method and path. Filled before the server starts, read-only from then on.

#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.h"

namespace reckon::http {

struct Route {
  std::string method;
  std::string path;  // "/v1/models/{id}": {name} takes one segment, {name...} at the end takes the rest
  Handler handler;
  bool is_public = false;  // answers without an API key: probes, and the files of the page
  // Takes what curl calls a form where it was given no type, but from no page: pages of other origins send that type
  // without asking first, and all say where they come from.
  bool takes_untyped_json = false;
};

class Router {
 public:
  void add(Route route);
  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

  struct Match {
    const Route* route = nullptr;         // null: see allowed_methods
    std::vector<std::string> parameters;  // what the {names} took, in their order
    std::string allowed_methods;          // "GET, POST" where only the method is wrong (405); empty: 404
  };
  // HEAD is answered by GET's route.
  [[nodiscard]] Match find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace reckon::http
