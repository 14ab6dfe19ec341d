#include "server/request_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>

#include "engine/finish_name.h"
#include "text/json_writer.h"

namespace reckon::server {
namespace {

constexpr std::size_t kQueueLines = 8192;

std::string now_text() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (now - seconds).count());
}

class SpdRequestLog final : public RequestLog {
 public:
  explicit SpdRequestLog(spdlog::sink_ptr sink)
      : pool_(std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1)),
        logger_(std::make_shared<spdlog::async_logger>("requests", std::move(sink), pool_,
                                                       spdlog::async_overflow_policy::overrun_oldest)) {
    logger_->set_pattern("%v");
    logger_->flush_on(spdlog::level::info);
  }

  void request(const http::ExchangeEnd& end) override {
    text::JsonObject line;
    line.text("time", now_text()).text("event", "request");
    if (end.request != nullptr) {
      line.text("id", end.request->id).text("client", end.request->client).text("method", end.request->method);
    }
    // The pattern, not the path: a path may hold what a client wrote.
    line.text("route", end.route).integer("status", end.status).number("ms", end.duration_ms, 1);
    line.integer("bytes", static_cast<std::int64_t>(end.bytes_sent)).boolean("client_left", end.client_left);
    logger_->info(line.str());
  }

  void answer(const ChoiceResult& result, const std::string& request_id, const std::string& client) override {
    text::JsonObject line;
    line.text("time", now_text()).text("event", "answer").text("id", request_id).text("client", client);
    line.text("finish", engine::finish_name(result.finish));
    const RequestTimings& timings = result.timings;
    line.integer("prompt_tokens", timings.n_prompt).integer("cached_tokens", timings.n_cached);
    line.integer("thought_tokens", timings.n_thought).integer("answer_tokens", timings.n_generated - timings.n_thought);
    line.number("queue_ms", timings.queue_ms, 1).number("prefill_ms", timings.prefill_ms, 1);
    line.number("decode_ms", timings.decode_ms, 1).number("first_token_ms", result.first_token_ms, 1);
    line.number("total_ms", result.total_ms, 1);
    if (result.error) line.text("error", result.error->message);
    logger_->info(line.str());
  }

 private:
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

}  // namespace

Result<std::unique_ptr<RequestLog>> RequestLog::open(const std::string& path) {
  try {
    if (path == "-") return std::make_unique<SpdRequestLog>(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    return std::make_unique<SpdRequestLog>(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
  } catch (const spdlog::spdlog_ex& error) {
    return fail(ErrorCode::kIo, fmt::format("the request log cannot be written: {}", error.what()));
  }
}

}  // namespace reckon::server
