#include "engine/engine_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "engine/request_check.h"
#include "engine/step_loop.h"

namespace reckon::engine {
namespace {

// What callers want from the engine thread. `mutex` is held for a few moves at most.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable has_mail;
  std::vector<std::unique_ptr<Sequence>> submitted;
  std::vector<RequestId> cancelled;
  std::vector<RequestId> thoughts_to_close;
  bool wants_phases = false;
  bool stops = false;
  std::map<std::string, int, std::less<>> n_of_client;  // waiting or running; only where the options bound it
};

class ThreadedEngine final : public Engine {
 public:
  ThreadedEngine(EngineParts parts, const EngineOptions& options)
      : parts_(std::move(parts)), options_(options), max_in_flight_(options.max_sequences + options.max_queue) {}

  // Before start().
  Result<void> make_loop();

  // Throws std::system_error where the system has no thread left.
  void start() {
    thread_ = std::thread([this] { work(); });
  }

  ~ThreadedEngine() override {
    {
      const std::scoped_lock lock(mail_.mutex);
      mail_.stops = true;
    }
    mail_.has_mail.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  ThreadedEngine(const ThreadedEngine&) = delete;
  ThreadedEngine& operator=(const ThreadedEngine&) = delete;

  const ModelInfo& info() const override { return parts_.info; }
  const Tokenizer& tokenizer() const override { return *parts_.tokenizer; }
  Result<RequestId> submit(Request request, OnEvent on_event) override;
  void cancel(RequestId id) override { post(&Mailbox::cancelled, id); }
  void close_thought(RequestId id) override { post(&Mailbox::thoughts_to_close, id); }
  EngineStats stats() const override;

 private:
  void post(std::vector<RequestId> Mailbox::* box, RequestId id);
  void work();
  bool take_mail(bool may_wait);
  void refresh_phases();
  Result<void> check_room(const Request& request) const;
  void forget_client(const Sequence& sequence);

  EngineParts parts_;
  const EngineOptions options_;
  std::unique_ptr<StepLoop> loop_;  // engine thread, but for counters and context
  const int max_in_flight_;
  mutable Mailbox mail_;
  RequestId last_id_ = 0;  // under mail_.mutex
  // Taken out of the mailbox; the memory goes back and forth. Engine thread.
  std::vector<std::unique_ptr<Sequence>> submitted_;
  std::vector<RequestId> cancelled_;
  std::vector<RequestId> thoughts_to_close_;
  bool wants_phases_ = false;

  mutable std::mutex phases_mutex_;
  std::vector<std::pair<std::string, double>> phases_;
  std::thread thread_;
};

Result<void> ThreadedEngine::make_loop() {
  StepLoopOptions options{.n_context = options_.n_context,
                          .max_sequences = options_.max_sequences,
                          .max_step_tokens = options_.max_step_tokens,
                          .kv_bytes = options_.kv_bytes,
                          .prefix_cache = options_.prefix_cache};
  if (options_.max_queue_per_client > 0) options.on_end = [this](const Sequence& sequence) { forget_client(sequence); };
  RECKON_TRY(loop_, StepLoop::create(*parts_.runner, *parts_.tokenizer, options));
  phases_ = loop_->phase_seconds();
  return {};
}

// Under the mailbox's mutex.
Result<void> ThreadedEngine::check_room(const Request& request) const {
  const int n_in_flight = loop_->counters().n_in_flight.load(std::memory_order_relaxed);
  if (n_in_flight >= max_in_flight_) {
    const int n_running = std::min(n_in_flight, loop_->counters().n_running.load(std::memory_order_relaxed));
    return fail(ErrorCode::kQueueFull,
                fmt::format("the queue is full: {} requests run and {} wait, which is the most ({} and {}): try again "
                            "later",
                            n_running, n_in_flight - n_running, options_.max_sequences, options_.max_queue));
  }
  if (options_.max_queue_per_client <= 0) return {};
  const auto mine = mail_.n_of_client.find(request.client);
  if (mine != mail_.n_of_client.end() && mine->second >= options_.max_queue_per_client) {
    return fail(
        ErrorCode::kQueueFull,
        fmt::format("this client has {} requests that run or wait, which is the most: try again later", mine->second));
  }
  return {};
}

void ThreadedEngine::forget_client(const Sequence& sequence) {
  if (sequence.request().idle) return;
  const std::scoped_lock lock(mail_.mutex);
  const auto mine = mail_.n_of_client.find(sequence.request().client);
  if (mine != mail_.n_of_client.end() && --mine->second == 0) mail_.n_of_client.erase(mine);
}

Result<RequestId> ThreadedEngine::submit(Request request, OnEvent on_event) {
  const SequenceContext& context = loop_->context();
  if (!on_event) return fail(ErrorCode::kInvalidInput, "a request needs a callback for its events");
  RECKON_TRY_VOID(check_request(request, parts_.runner->n_vocab(), context.n_context));
  const bool idle = request.idle;
  if (idle && !options_.prefix_cache) {
    return fail(ErrorCode::kUnsupported, "idle: without a prefix cache there is nowhere to keep what is computed");
  }
  const std::scoped_lock lock(mail_.mutex);
  if (mail_.stops) return fail(ErrorCode::kCancelled, "the engine is shutting down");
  if (!idle) {
    RECKON_TRY_VOID(check_room(request));
    if (options_.max_queue_per_client > 0) ++mail_.n_of_client[request.client];
  }
  const RequestId id = ++last_id_;
  mail_.submitted.push_back(std::make_unique<Sequence>(id, std::move(request), std::move(on_event), context));
  StepCounters& counters = loop_->counters();
  (idle ? counters.n_idle : counters.n_in_flight).fetch_add(1, std::memory_order_relaxed);
  mail_.has_mail.notify_one();
  return id;
}

void ThreadedEngine::post(std::vector<RequestId> Mailbox::* box, RequestId id) {
  const std::scoped_lock lock(mail_.mutex);
  (mail_.*box).push_back(id);
  mail_.has_mail.notify_one();
}

// False: stop. Sleeps without a timer where there is nothing to do.
bool ThreadedEngine::take_mail(bool may_wait) {
  std::unique_lock lock(mail_.mutex);
  const auto has_mail = [this] {
    return mail_.stops || mail_.wants_phases || !mail_.submitted.empty() || !mail_.cancelled.empty() ||
           !mail_.thoughts_to_close.empty();
  };
  if (may_wait) mail_.has_mail.wait(lock, has_mail);
  submitted_.swap(mail_.submitted);
  cancelled_.swap(mail_.cancelled);
  thoughts_to_close_.swap(mail_.thoughts_to_close);
  wants_phases_ = std::exchange(mail_.wants_phases, false);
  return !mail_.stops;
}

void ThreadedEngine::work() {
  bool is_busy = false;
  bool goes_on = true;
  while (goes_on) {
    goes_on = take_mail(!is_busy);
    for (auto& sequence : submitted_) loop_->add(std::move(sequence));
    submitted_.clear();
    for (const RequestId id : cancelled_) loop_->cancel(id);
    cancelled_.clear();
    for (const RequestId id : thoughts_to_close_) loop_->close_thought(id);
    thoughts_to_close_.clear();
    if (wants_phases_) refresh_phases();
    if (!goes_on) break;
    const bool was_busy = is_busy;
    try {
      is_busy = loop_->step();
    } catch (const std::exception& e) {  // ours; what the model's code throws ends in the loop
      log_line(LogLevel::kWarning, fmt::format("the engine gave up its running requests: {}", e.what()));
      loop_->end_all(Error{ErrorCode::kInternal, fmt::format("the engine failed: {}", e.what())});
      is_busy = false;
    }
    if (was_busy && !is_busy) refresh_phases();
  }
  loop_->end_all(std::nullopt);
}

void ThreadedEngine::refresh_phases() {
  auto phases = loop_->phase_seconds();
  const std::scoped_lock lock(phases_mutex_);
  phases_.swap(phases);
}

void fill_service_stats(EngineStats& stats, const StepCounters& counters) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const auto finished = [&](Finish how) { return counters.n_finished[static_cast<std::size_t>(how)].load(kRelaxed); };
  const auto timeouts = [&](TimeLimit limit) {
    return counters.n_timeouts[static_cast<std::size_t>(limit)].load(kRelaxed);
  };
  stats.n_idle = counters.n_idle.load(kRelaxed);
  stats.n_idle_tokens = counters.n_idle_tokens.load(kRelaxed);
  stats.n_thought_tokens = counters.n_thought_tokens.load(kRelaxed);
  stats.n_answer_tokens = counters.n_answer_tokens.load(kRelaxed);
  stats.n_stopped = finished(Finish::kStop);
  stats.n_length = finished(Finish::kLength);
  stats.n_repetition = finished(Finish::kRepetition);
  stats.n_cancelled = finished(Finish::kCancelled);
  stats.n_failed = finished(Finish::kFailed);
  stats.n_timeouts_queue = timeouts(TimeLimit::kQueue);
  stats.n_timeouts_first_token = timeouts(TimeLimit::kFirstToken);
  stats.n_timeouts_total = timeouts(TimeLimit::kTotal);
  stats.last_step_seconds = counters.last_step_seconds.load(kRelaxed);
  stats.step_seconds = counters.step_seconds.load(kRelaxed);
  stats.decode_step_seconds = counters.decode_step_seconds.load(kRelaxed);
  stats.n_decode_steps = counters.n_decode_steps.load(kRelaxed);
  stats.mean_request_seconds = counters.mean_request_seconds.load(kRelaxed);
}

EngineStats ThreadedEngine::stats() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const StepCounters& counters = loop_->counters();
  EngineStats stats;
  stats.n_threads = parts_.n_threads;
  stats.read_limit = parts_.read_limit;
  stats.n_context = loop_->context().n_context;
  stats.n_running = counters.n_running.load(kRelaxed);
  stats.n_queued = std::max(0, counters.n_in_flight.load(kRelaxed) - stats.n_running);
  stats.kv_pages = static_cast<std::uint64_t>(loop_->pool().n_pages());
  stats.kv_bytes = stats.kv_pages * loop_->pool().page_bytes();
  stats.kv_pages_free = counters.n_pages_free.load(kRelaxed);
  stats.kv_pages_cached = counters.n_pages_cached.load(kRelaxed);
  stats.n_steps = counters.n_steps.load(kRelaxed);
  stats.n_prefill_tokens = counters.n_prefill_tokens.load(kRelaxed);
  stats.n_decode_tokens = counters.n_decode_tokens.load(kRelaxed);
  stats.n_cached_tokens = counters.n_cached_tokens.load(kRelaxed);
  stats.n_loops_stopped = counters.n_loops_stopped.load(kRelaxed);
  stats.n_preemptions = counters.n_preemptions.load(kRelaxed);
  fill_service_stats(stats, counters);
  stats.weight_bytes_read = counters.n_forwards.load(kRelaxed) * parts_.info.weight_bytes;
  {
    const std::scoped_lock lock(phases_mutex_);
    stats.phase_seconds = phases_;
  }
  const std::scoped_lock lock(mail_.mutex);
  mail_.wants_phases = true;
  mail_.has_mail.notify_one();
  return stats;
}

}  // namespace

Result<std::unique_ptr<Engine>> start_engine(EngineParts parts, const EngineOptions& options) {
  if (options.max_queue < 0 || options.max_queue > 1'000'000 || options.max_sequences > 1024) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the engine runs 1..1024 sequences and queues 0..1000000, got {} and {}",
                            options.max_sequences, options.max_queue));
  }
  auto engine = std::make_unique<ThreadedEngine>(std::move(parts), options);
  RECKON_TRY_VOID(engine->make_loop());
  try {
    engine->start();
  } catch (const std::system_error& e) {
    return fail(ErrorCode::kOutOfMemory, fmt::format("the system refused the engine's thread: {}", e.what()));
  }
  return engine;
}

}  // namespace reckon::engine
