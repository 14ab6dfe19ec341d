#include "http/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "http/field_text.h"
#include "http/origin.h"
#include "http/request_target.h"

namespace reckon::http {
namespace {

constexpr std::size_t kMaxIdChars = 128;
constexpr int kPreflightSeconds = 600;
constexpr int kDrainRetrySeconds = 5;

bool is_sound_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdChars && std::ranges::all_of(id, [](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

std::string_view presented_key(const Request& request) {
  const std::string_view authorization = request.header("Authorization");
  const std::size_t blank = std::min(authorization.find(' '), authorization.size());
  if (equals_ignoring_case(authorization.substr(0, blank), "Bearer")) return trim(authorization.substr(blank));
  return request.header("X-Api-Key");
}

// One call a request; each step refuses or goes on.
class Judge {
 public:
  Judge(const MessageHead& head, std::string_view peer, const Rules& rules) : head_(head), rules_(rules) {
    admission_.request.method = head.method;
    admission_.request.headers = head.headers;
    admission_.request.client = peer;
    if (const std::string_view id = admission_.request.header("X-Request-Id"); is_sound_id(id)) {
      admission_.request.id = id;
    }
  }

  Admission run() {
    (void)(check_target() && check_host() && check_origin() && answer_preflight() && check_drain() && check_key() &&
           check_route() && check_body());
    return std::move(admission_);
  }

 private:
  bool refuse_with(ErrorBody error) {
    admission_.refusal = error_response(error);
    return false;
  }
  bool refuse_with(int status, std::string message, std::string code = {}) {
    ErrorBody error;
    error.status = status;
    error.message = std::move(message);
    error.code = std::move(code);
    return refuse_with(std::move(error));
  }
  bool check_target();
  bool check_host();
  bool check_origin();
  bool answer_preflight();
  bool check_drain();
  bool check_key();
  bool check_route();
  bool check_body();

  const MessageHead& head_;
  const Rules& rules_;
  Admission admission_;
  std::string authority_;
  Router::Match match_;
};

bool Judge::check_target() {
  auto target = parse_target(head_.target);
  if (!target) return refuse_with(target.error());
  admission_.request.path = std::move(target->path);
  admission_.request.query = std::move(target->query);
  authority_ = std::move(target->authority);
  match_ = rules_.router.find(head_.method, admission_.request.path);
  admission_.route = match_.route;
  return true;
}

bool Judge::check_host() {
  const auto is_host = [](const Header& header) { return equals_ignoring_case(header.name, "Host"); };
  const auto n_hosts = std::ranges::count_if(head_.headers, is_host);
  if (n_hosts > 1) return refuse_with(400, "two Host headers");
  // Clients of before 1.1, which are no browsers, may name none.
  if (n_hosts == 0) return head_.is_http_1_0 || refuse_with(400, "the Host header is missing");
  const std::string host(admission_.request.header("Host"));
  const auto is_allowed = [&](std::string_view name) { return is_host_allowed(rules_.access, rules_.own_hosts, name); };
  if (!is_allowed(host) || (!authority_.empty() && !is_allowed(authority_))) {
    return refuse_with(403,
                       "this service does not go by that host name: use its address, or allow the name in its settings",
                       "host_not_allowed");
  }
  if (authority_.empty()) authority_ = host;
  return true;
}

bool Judge::check_origin() {
  const bool has_origin =
      std::ranges::any_of(head_.headers, [](const Header& h) { return equals_ignoring_case(h.name, "Origin"); });
  if (!has_origin) return true;
  auto verdict = judge_origin(rules_.access, admission_.request.header("Origin"), authority_);
  if (!verdict.is_allowed) {
    return refuse_with(403, "pages of that origin may not use this service: allow it in the service's settings",
                       "origin_not_allowed");
  }
  admission_.allow_origin = std::move(verdict.allow_origin);
  return true;
}

// The browser asks before it lets a page of another origin send what a plain form could not.
bool Judge::answer_preflight() {
  const Request& request = admission_.request;
  if (head_.method != "OPTIONS" || request.header("Access-Control-Request-Method").empty()) return true;
  if (admission_.allow_origin.empty()) return true;
  Response response;
  response.status = 204;
  response.content_type.clear();
  response.headers.push_back({"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"});
  const std::string_view wanted = request.header("Access-Control-Request-Headers");
  const bool is_sound =
      std::ranges::all_of(wanted, [](char c) { return c == ',' || c == ' ' || is_token(std::string_view(&c, 1)); });
  if (!wanted.empty() && is_sound) response.headers.push_back({"Access-Control-Allow-Headers", std::string(wanted)});
  response.headers.push_back({"Access-Control-Max-Age", std::to_string(kPreflightSeconds)});
  admission_.refusal = std::move(response);
  return false;
}

bool Judge::check_drain() {
  if (!rules_.is_draining) return true;
  ErrorBody error;
  error.status = 503;
  error.message = "the service is shutting down";
  error.code = "shutting_down";
  error.retry_after_s = kDrainRetrySeconds;
  return refuse_with(std::move(error));
}

// Before the route is told, so that nobody without a key learns which there are.
bool Judge::check_key() {
  if (rules_.access.keys.empty()) return true;
  const std::string_view presented = presented_key(admission_.request);
  if (const ApiKey* key = find_key(rules_.access.keys, presented)) {
    admission_.request.client = key->name;
    return true;
  }
  if (match_.route != nullptr && match_.route->is_public) return true;
  return refuse_with(401,
                     presented.empty() ? "this service asks for an API key: send \"Authorization: Bearer KEY\""
                                       : "that API key is not known here",
                     "invalid_api_key");
}

bool Judge::check_route() {
  if (match_.route != nullptr) {
    admission_.request.parameters = std::move(match_.parameters);
    return true;
  }
  if (match_.allowed_methods.empty()) {
    return refuse_with(404, "there is nothing at this path", "not_found");
  }
  refuse_with(405, fmt::format("this path answers {} only", match_.allowed_methods), "method_not_allowed");
  admission_.refusal->headers.push_back({"Allow", match_.allowed_methods});
  return false;
}

bool Judge::check_body() {
  const Request& request = admission_.request;
  if (const std::string_view expect = request.header("Expect"); !expect.empty()) {
    if (!equals_ignoring_case(expect, "100-continue")) {
      return refuse_with(417, "the only thing to expect here is 100-continue");
    }
    admission_.expects_continue = head_.has_body() && !head_.is_http_1_0;
  }
  if (!head_.has_body()) return true;
  const std::string_view coding = request.header("Content-Encoding");
  if (!coding.empty() && !equals_ignoring_case(coding, "identity")) {
    return refuse_with(415, "a compressed body is not taken: send it as it is, without Content-Encoding");
  }
  // A page of another origin can send any other type without asking first.
  const bool has_content = head_.method != "GET" && head_.method != "HEAD" && head_.method != "OPTIONS";
  const std::string_view type = request.header("Content-Type");
  const bool is_untyped = type.empty() || is_media_type(type, "application/x-www-form-urlencoded");
  const bool takes_untyped = admission_.route != nullptr && admission_.route->takes_untyped_json;
  const bool is_from_a_page = !request.header("Origin").empty();
  if (has_content && !is_media_type(type, "application/json") && !(is_untyped && takes_untyped && !is_from_a_page)) {
    return refuse_with(415, "the body must be JSON: send \"Content-Type: application/json\"");
  }
  if (head_.content_length.value_or(0) > rules_.limits.max_body_bytes) {
    return refuse_with(413, fmt::format("the body is larger than {} bytes", rules_.limits.max_body_bytes));
  }
  return true;
}

}  // namespace

Admission admit(const MessageHead& head, std::string_view peer, const Rules& rules) {
  return Judge(head, peer, rules).run();
}

}  // namespace reckon::http
