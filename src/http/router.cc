#include "http/router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace reckon::http {
namespace {

// Takes one segment, with its slash in front, from the front of `path`.
std::string_view take_segment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

// What the {names} of the pattern take where it fits.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> parameters;
  while (!pattern.empty()) {
    if (path.empty()) return std::nullopt;
    const std::string_view wanted = take_segment(pattern);
    if (wanted.starts_with("/{") && wanted.ends_with("...}")) {
      parameters.emplace_back(path.substr(1));
      return parameters;
    }
    const std::string_view segment = take_segment(path);
    if (wanted.starts_with("/{") && wanted.ends_with('}')) {
      if (segment.size() < 2) return std::nullopt;
      parameters.emplace_back(segment.substr(1));
    } else if (wanted != segment) {
      return std::nullopt;
    }
  }
  if (!path.empty()) return std::nullopt;
  return parameters;
}

// Routes are tried from the lowest on: a path that is spelled out, then one that takes segments, then one that takes
// the rest, the longer before the shorter.
std::pair<int, int> rank(const Route& route) {
  constexpr int kTakesRest = 1000;
  const auto n_parameters = static_cast<int>(std::ranges::count(route.path, '{'));
  return {n_parameters + (route.path.ends_with("...}") ? kTakesRest : 0), -static_cast<int>(route.path.size())};
}

}  // namespace

void Router::add(Route route) {
  RECKON_CHECK(route.path.starts_with('/') && route.handler);
  const auto place = std::ranges::upper_bound(routes_, rank(route), {}, rank);
  routes_.insert(place, std::move(route));
}

Router::Match Router::find(std::string_view method, std::string_view path) const {
  if (method == "HEAD") method = "GET";
  Match found;
  for (const Route& route : routes_) {
    auto parameters = match(route.path, path);
    if (!parameters) continue;
    if (route.method == method) {
      found.route = &route;
      found.parameters = *std::move(parameters);
      found.allowed_methods.clear();
      return found;
    }
    if (!found.allowed_methods.contains(route.method)) {
      if (!found.allowed_methods.empty()) found.allowed_methods += ", ";
      found.allowed_methods += route.method;
    }
  }
  return found;
}

}  // namespace reckon::http
