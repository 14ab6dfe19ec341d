#pragma once
// How Ollama's API writes what all of its answers have in common.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "http/exchange.h"
#include "server/api_error.h"
#include "server/running_answer.h"
#include "text/json_writer.h"

namespace reckon::server::ollama {

// {"error": "text"}
[[nodiscard]] std::string line_of_error(const ApiError& error);
[[nodiscard]] http::Response respond_error(const ApiError& error);

// RFC 3339 in UTC, with microseconds: 2025-01-31T12:00:00.000000Z.
[[nodiscard]] std::string rfc3339(std::chrono::system_clock::time_point time);
[[nodiscard]] std::string rfc3339_now();

[[nodiscard]] std::int64_t nanoseconds(double milliseconds);

// What an answer says about itself beside its text.
struct Frame {
  std::string model;     // as the client named it
  bool is_chat = false;  // the text is in "message", not in "response"
  std::vector<std::string> warnings;
  std::vector<http::Header> headers;  // X-Cache
};

// The model, the time, and the text as the endpoint has it.
[[nodiscard]] text::JsonObject line_of(const Frame& frame, const TextSplitter::Delta& text);
// "done": true, why it ended, and the times in nanoseconds.
void add_end(text::JsonObject& line, const Frame& frame, const ChoiceResult& result);

}  // namespace reckon::server::ollama
