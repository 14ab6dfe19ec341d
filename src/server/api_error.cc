#include "server/api_error.h"

#include "http/error_response.h"
#include "text/json_writer.h"

namespace reckon::server {
namespace {

struct Row {
  ErrorCode code;
  int status;
  const char* name;
  int retry_after_s;
};

constexpr Row kRows[] = {
    {ErrorCode::kInvalidInput, 400, "invalid_value", 0},
    {ErrorCode::kNotFound, 404, "not_found", 0},
    {ErrorCode::kUnsupported, 400, "unsupported", 0},
    {ErrorCode::kLimit, 400, "limit_exceeded", 0},
    {ErrorCode::kPromptTooLong, 400, "context_length_exceeded", 0},
    {ErrorCode::kQueueFull, 429, "queue_full", 2},
    {ErrorCode::kOutOfMemory, 503, "out_of_memory", 10},
    {ErrorCode::kIo, 500, "internal_error", 0},
    {ErrorCode::kCancelled, 503, "shutting_down", 10},
    {ErrorCode::kInternal, 500, "internal_error", 0},
};

}  // namespace

std::unexpected<ApiError> refuse(std::string param, std::string message, std::string code) {
  ApiError error;
  error.message = std::move(message);
  error.code = code.empty() ? "invalid_value" : std::move(code);
  error.param = std::move(param);
  return std::unexpected(std::move(error));
}

ApiError to_api_error(const Error& error, std::string_view param) {
  ApiError answer{.status = 500, .message = error.message, .code = "internal_error", .param = std::string(param)};
  for (const Row& row : kRows) {
    if (row.code != error.code) continue;
    answer.status = row.status;
    answer.code = row.name;
    answer.retry_after_s = row.retry_after_s;
  }
  return answer;
}

std::string error_json(const ApiError& error) {
  text::JsonObject object;
  object.text("message", error.message).text("type", http::error_type(error.status));
  error.param.empty() ? object.null("param") : object.text("param", error.param);
  error.code.empty() ? object.null("code") : object.text("code", error.code);
  for (const auto& [name, value] : error.numbers) object.integer(name, value);
  return text::JsonObject().raw("error", object.str()).str();
}

http::Response error_response(const ApiError& error) {
  http::Response response;
  response.status = error.status;
  response.body = error_json(error);
  if (error.retry_after_s > 0) response.headers.push_back({"Retry-After", std::to_string(error.retry_after_s)});
  return response;
}

}  // namespace reckon::server
