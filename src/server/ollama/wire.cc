#include "server/ollama/wire.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>

#include "server/openai/answer_parts.h"

namespace reckon::server::ollama {
namespace {

std::string calls_json(std::span<const ToolCall> calls) {
  text::JsonArray list;
  for (const ToolCall& call : calls) {
    text::JsonObject function;
    function.text("name", call.name).raw("arguments", call.arguments.empty() ? "{}" : call.arguments);
    list.raw(text::JsonObject().text("id", call.id).raw("function", function.str()).str());
  }
  return list.str();
}

std::string message_json(const TextSplitter::Delta& text) {
  text::JsonObject message;
  message.text("role", "assistant").text("content", text.content);
  if (!text.reasoning.empty()) message.text("thinking", text.reasoning);
  if (!text.calls.empty()) message.raw("tool_calls", calls_json(text.calls));
  return message.str();
}

}  // namespace

std::string line_of_error(const ApiError& error) { return text::JsonObject().text("error", error.message).str(); }

http::Response respond_error(const ApiError& error) {
  http::Response response = server::error_response(error);
  response.body = line_of_error(error);
  return response;
}

std::string rfc3339(std::chrono::system_clock::time_point time) {
  using std::chrono::duration_cast;
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(duration_cast<std::chrono::microseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string rfc3339_now() { return rfc3339(std::chrono::system_clock::now()); }

std::int64_t nanoseconds(double milliseconds) {
  constexpr double kNsPerMs = 1e6;
  return std::isfinite(milliseconds) && milliseconds > 0 ? std::llround(milliseconds * kNsPerMs) : 0;
}

text::JsonObject line_of(const Frame& frame, const TextSplitter::Delta& text) {
  text::JsonObject line;
  line.text("model", frame.model).text("created_at", rfc3339_now());
  if (frame.is_chat) {
    line.raw("message", message_json(text));
    return line;
  }
  line.text("response", text.content);
  if (!text.reasoning.empty()) line.text("thinking", text.reasoning);
  return line;
}

void add_end(text::JsonObject& line, const Frame& frame, const ChoiceResult& result) {
  const RequestTimings& t = result.timings;
  const std::string_view reason = finish_reason(result);
  line.boolean("done", true).text("done_reason", reason == "length" ? reason : "stop");
  if (const auto detail = finish_detail(result); !detail.empty()) line.text("done_detail", detail);
  line.integer("total_duration", nanoseconds(result.total_ms));
  // Theirs is the time until a model is there to work; ours is there, but others may be before this one.
  line.integer("load_duration", nanoseconds(t.queue_ms));
  line.integer("prompt_eval_count", t.n_prompt).integer("prompt_eval_duration", nanoseconds(t.prefill_ms));
  line.integer("eval_count", t.n_generated).integer("eval_duration", nanoseconds(t.decode_ms));
  if (!frame.warnings.empty()) line.raw("warnings", string_list(frame.warnings));
}

}  // namespace reckon::server::ollama
