#include "server/telemetry.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/finish_name.h"
#include "server/service.h"
#include "sys/memory.h"

namespace reckon::server {
namespace {

double seconds_of(double ms) { return ms / 1000; }

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int count_open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return 0;
  return static_cast<int>(std::distance(begin(files), end(files)));
}

// Clients choose the method's name: only the known ones make a series.
std::string_view method_label(std::string_view method) {
  static constexpr std::string_view kKnown[] = {"GET", "POST", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH"};
  return std::ranges::find(kKnown, method) == std::end(kKnown) ? "other" : method;
}

metrics::AnswerRecord record_of(const ChoiceResult& result) {
  metrics::AnswerRecord record;
  const RequestTimings& timings = result.timings;
  record.finish =
      result.finish == Finish::kStop && !result.tool_calls.empty() ? "tool_calls" : engine::finish_name(result.finish);
  record.total_s = seconds_of(result.total_ms);
  record.thought_s = seconds_of(result.thinking_ms);
  record.n_prompt = timings.n_prompt;
  record.n_cached = timings.n_cached;
  record.n_thought = timings.n_thought;
  record.n_answer = timings.n_generated - timings.n_thought;
  if (result.first_token_ms > 0) {
    record.queue_s = seconds_of(timings.queue_ms);
    record.prefill_s = seconds_of(timings.prefill_ms);
    record.decode_s = seconds_of(timings.decode_ms);
    record.first_token_s = seconds_of(result.first_token_ms);
  }
  if (result.first_answer_ms > 0) record.first_answer_token_s = seconds_of(result.first_answer_ms);
  return record;
}

}  // namespace

class MeteredListener final : public ForwardingListener {
 public:
  MeteredListener(Telemetry& telemetry, std::shared_ptr<AnswerListener> next, std::string request_id,
                  std::string client)
      : ForwardingListener(std::move(next)),
        telemetry_(telemetry),
        request_id_(std::move(request_id)),
        client_(std::move(client)) {}

  bool on_piece(std::size_t choice, const Piece& piece) override {
    const auto now = RunningAnswer::Clock::now();
    if (choice >= last_piece_.size()) last_piece_.resize(choice + 1);
    if (auto& last = last_piece_[choice]; last != RunningAnswer::Clock::time_point{}) {
      telemetry_.metrics_.token_gap(std::chrono::duration<double>(now - last).count());
    }
    last_piece_[choice] = now;
    return ForwardingListener::on_piece(choice, piece);
  }
  void on_choice_end(std::size_t choice, const ChoiceResult& result) override {
    telemetry_.answer_ended(result, request_id_, client_);
    ForwardingListener::on_choice_end(choice, result);
  }

 private:
  Telemetry& telemetry_;
  std::string request_id_;
  std::string client_;
  std::vector<RunningAnswer::Clock::time_point> last_piece_;  // [choice]
};

Result<std::unique_ptr<Telemetry>> Telemetry::create(Setup setup) {
  std::unique_ptr<Telemetry> telemetry(new Telemetry(std::move(setup)));
  if (!telemetry->setup_.request_log.empty()) {
    RECKON_TRY(telemetry->log_, RequestLog::open(telemetry->setup_.request_log));
  }
  return telemetry;
}

void Telemetry::exchange_ended(const http::ExchangeEnd& end) {
  metrics_.http_ended({.handler = end.route.empty() ? std::string_view("none") : std::string_view(end.route),
                       .method = end.request == nullptr ? "other" : method_label(end.request->method),
                       .status = end.status,
                       .duration_s = seconds_of(end.duration_ms)});
  if (log_) log_->request(end);
}

std::shared_ptr<AnswerListener> Telemetry::metered(std::shared_ptr<AnswerListener> next, std::string request_id,
                                                   std::string client) {
  return std::make_shared<MeteredListener>(*this, std::move(next), std::move(request_id), std::move(client));
}

void Telemetry::answer_ended(const ChoiceResult& result, const std::string& request_id, const std::string& client) {
  metrics_.answer_ended(record_of(result));
  if (log_) log_->answer(result, request_id, client);
}

// Over the decode steps since the last look; the last figure stays while nothing is decoded.
double Telemetry::decode_bytes_per_second(const EngineStats& stats, std::uint64_t weight_bytes) {
  const std::scoped_lock lock(mutex_);
  const auto n_steps = static_cast<double>(stats.n_decode_steps - n_decode_steps_);
  const double seconds = stats.decode_step_seconds - decode_seconds_;
  if (n_steps > 0 && seconds > 0) {
    bytes_per_second_ = n_steps * static_cast<double>(weight_bytes) / seconds;
    n_decode_steps_ = stats.n_decode_steps;
    decode_seconds_ = stats.decode_step_seconds;
  }
  return bytes_per_second_;
}

std::string Telemetry::prometheus_text(const Service& service) {
  metrics::Snapshot now;
  if (const ServedModel* model = service.model()) {
    const EngineStats stats = model->engine->stats();
    now.n_running = stats.n_running;
    now.n_queued = stats.n_queued;
    now.n_threads = stats.n_threads;
    now.n_context = static_cast<std::uint64_t>(stats.n_context);
    now.kv_pages = stats.kv_pages;
    now.kv_pages_free = stats.kv_pages_free;
    now.kv_pages_cached = stats.kv_pages_cached;
    now.n_steps = stats.n_steps;
    now.n_prefill_tokens = stats.n_prefill_tokens;
    now.n_decode_tokens = stats.n_decode_tokens;
    now.n_idle_tokens = stats.n_idle_tokens;
    now.n_loops_stopped = stats.n_loops_stopped;
    now.n_preemptions = stats.n_preemptions;
    now.bytes_read = stats.weight_bytes_read;
    now.bandwidth_limit = stats.read_limit;
    now.bytes_per_second = decode_bytes_per_second(stats, model->engine->info().weight_bytes);
    now.phase_seconds = stats.phase_seconds;
  }
  const ResultCache::Counts lookups = service.cache().counts();
  now.result_cache_hits = lookups.hits;
  now.result_cache_misses = lookups.misses;
  const sys::ProcessMemory memory = sys::read_process_memory();
  now.resident_bytes = memory.resident_bytes;
  now.anonymous_bytes = memory.anonymous_bytes;
  now.swapped_bytes = memory.swapped_bytes;
  now.major_faults = memory.major_faults;
  now.cpu_seconds = cpu_seconds();
  now.start_time_s = start_time_s_;
  now.n_open_files = count_open_files();
  return metrics_.text(now, setup_.aliases);
}

}  // namespace reckon::server
