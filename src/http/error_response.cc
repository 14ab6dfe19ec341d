#include "http/error_response.h"

#include "text/json.h"

namespace reckon::http {

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

Response error_response(const ErrorBody& error) {
  const auto append_or_null = [](std::string& out, std::string_view text) {
    if (text.empty()) {
      out += "null";
    } else {
      text::append_json_string(out, text);
    }
  };
  Response response;
  response.status = error.status;
  std::string& body = response.body;
  body = R"({"error":{"message":)";
  text::append_json_string(body, error.message);
  body += R"(,"type":)";
  text::append_json_string(body, error_type(error.status));
  body += R"(,"param":)";
  append_or_null(body, error.param);
  body += R"(,"code":)";
  append_or_null(body, error.code);
  body += "}}\n";
  if (error.retry_after_s > 0) response.headers.push_back({"Retry-After", std::to_string(error.retry_after_s)});
  if (error.status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
}

}  // namespace reckon::http
