#pragma once
// What the service answers when it cannot answer: a status, and OpenAI's error object with the field and the remedy.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/exchange.h"
#include "reckon/result.h"

namespace reckon::server {

struct ApiError {
  int status = 400;
  std::string message = {};  // names the thing and the remedy
  std::string code = {};     // context_length_exceeded ...; empty: null
  std::string param = {};    // the field at fault, "messages[2].content"; empty: null
  int retry_after_s = 0;
  std::vector<std::pair<std::string, std::int64_t>> numbers = {};  // further members of the error object: n_ctx ...
};

// Like Result, for what a client sent. RECKON_TRY works on both.
template <class T>
using Reply = std::expected<T, ApiError>;

[[nodiscard]] std::unexpected<ApiError> refuse(std::string param, std::string message, std::string code = {});

// The one table from kinds of errors to statuses.
[[nodiscard]] ApiError to_api_error(const Error& error, std::string_view param = {});

template <class T>
[[nodiscard]] Reply<T> to_reply(Result<T> result, std::string_view param = {}) {
  if (!result) return std::unexpected(to_api_error(result.error(), param));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return *std::move(result);
  }
}

// {"error": {...}}, as the body of an answer or the data of an event.
[[nodiscard]] std::string error_json(const ApiError& error);
[[nodiscard]] http::Response error_response(const ApiError& error);

}  // namespace reckon::server
