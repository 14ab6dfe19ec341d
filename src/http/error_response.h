#pragma once
// Errors in OpenAI's form: {"error": {"message", "type", "param", "code"}}.

#include <string>
#include <string_view>

#include "http/exchange.h"

namespace reckon::http {

struct ErrorBody {
  int status = 400;
  std::string message;    // names the thing and the remedy; no path of this machine
  std::string code;       // "context_length_exceeded"; empty: null
  std::string param;      // the field at fault; empty: null
  int retry_after_s = 0;  // 0: no Retry-After
};

// `type` follows from the status: invalid_request_error, authentication_error, permission_error, not_found_error,
// rate_limit_error, server_error.
[[nodiscard]] Response error_response(const ErrorBody& error);
[[nodiscard]] std::string_view error_type(int status);

}  // namespace reckon::http
