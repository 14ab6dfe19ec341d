#include "http/origin.h"

#include <algorithm>

#include "http/field_text.h"

namespace reckon::http {
namespace {

// The authority without the port that its scheme has anyway, so that "http://a" and "a:80" are one.
std::string without_default_port(std::string_view authority, std::string_view port) {
  std::string lower = lower_case(authority);
  if (lower.ends_with(port)) lower.resize(lower.size() - port.size());
  return lower;
}

bool is_own_page(std::string_view origin, std::string_view authority) {
  const std::size_t colon = origin.find("://");
  if (colon == std::string_view::npos || authority.empty()) return false;
  const std::string_view scheme = origin.substr(0, colon);
  if (scheme != "http" && scheme != "https") return false;
  // Of either scheme: behind a proxy that speaks TLS for us the page comes by https and its requests by http.
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  return without_default_port(origin.substr(colon + 3), port) == without_default_port(authority, port);
}

}  // namespace

std::string host_name(std::string_view authority) {
  std::string_view host = authority;
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return {};
    port = host.substr(end + 1);
    host = host.substr(0, end + 1);
    if (!port.empty() && !port.starts_with(':')) return {};
    if (host.find_first_not_of("0123456789abcdefABCDEF:.[]") != std::string_view::npos) return {};
  } else {
    const std::size_t colon = std::min(host.find(':'), host.size());
    port = host.substr(colon);
    host = host.substr(0, colon);
    if (host.ends_with('.')) host.remove_suffix(1);
    const bool is_name = std::ranges::all_of(host, [](char c) {
      const char lower = ascii_lower(c);
      return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    });
    if (!is_name) return {};
  }
  if (port.size() > 6 || port.find_first_not_of("0123456789", 1) != std::string_view::npos) return {};
  return lower_case(host);
}

bool is_host_allowed(const Access& access, std::span<const std::string> own_hosts, std::string_view authority) {
  const std::string host = host_name(authority);
  if (host.empty()) return false;
  if (host == "localhost" || host == "127.0.0.1" || host == "[::1]") return true;
  if (std::ranges::find(own_hosts, host) != own_hosts.end()) return true;
  return std::ranges::any_of(access.hosts,
                             [&](const std::string& allowed) { return allowed == "*" || host_name(allowed) == host; });
}

OriginVerdict judge_origin(const Access& access, std::string_view origin, std::string_view authority) {
  if (is_own_page(origin, authority)) return {true, {}};
  for (const std::string& allowed : access.origins) {
    if (allowed == "*") return {true, "*"};
    if (!origin.empty() && equals_ignoring_case(allowed, origin)) return {true, std::string(origin)};
  }
  return {};
}

}  // namespace reckon::http
