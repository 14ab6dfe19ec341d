#pragma once
// What all handlers share: the model once it is loaded, the preparation thread, the answers on their way.
// Owner: the program; outlives the HTTP server. Thread: any, unless said otherwise.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "http/exchange.h"
#include "http/router.h"
#include "server/answer_registry.h"
#include "server/result_cache.h"
#include "server/served_model.h"
#include "server/telemetry.h"
#include "server/work_queue.h"
#include "text/json.h"

namespace reckon::server {

// Of each request, since it came to the engine; empty: none.
struct TimeLimits {
  std::optional<int> queue_ms;
  std::optional<int> first_token_ms;
  std::optional<int> total_ms;
};

struct ServiceOptions {
  std::chrono::milliseconds heartbeat{10'000};  // of a silent stream
  WorkQueue::Limits preparation;
  ResultCache::Limits cache;
  TimeLimits time_limits;
  bool next_turn_prefill = true;  // compute the start of the next turn while nothing else is to do
};

// What is answered while there is no model yet, or the service drains.
[[nodiscard]] ApiError loading_error();

class Service;

// One request with a JSON body, on the preparation thread.
struct Call {
  Service& service;
  ServedModel& model;
  std::shared_ptr<http::Exchange> exchange;
  text::Json body;
  RunningAnswer::Clock::time_point arrival;
};

class Service {
 public:
  // telemetry: null for none.
  explicit Service(ServiceOptions options, std::unique_ptr<Telemetry> telemetry = nullptr);

  // Once. From now on requests are taken; ready() waits for warm_up().
  void attach(std::unique_ptr<ServedModel> model);
  // Runs a short answer through everything, so that the first client does not pay for cold pages. Blocks.
  Result<void> warm_up();

  [[nodiscard]] ServedModel* model() const { return model_pointer_.load(); }  // null while loading
  [[nodiscard]] bool ready() const { return ready_.load(); }
  void set_draining() { ready_ = false; }
  [[nodiscard]] AnswerRegistry& answers() { return answers_; }
  [[nodiscard]] ResultCache& cache() { return cache_; }
  [[nodiscard]] const ResultCache& cache() const { return cache_; }
  [[nodiscard]] Telemetry* telemetry() const { return telemetry_.get(); }
  [[nodiscard]] const ServiceOptions& options() const { return options_; }

  // Runs it on the preparation thread, later; false: too much waits there.
  bool post(std::function<void()> task) { return preparation_.post(std::move(task), 0); }

  // Wraps a task as a handler: 503 while the model loads, 400 for what is no JSON; then the task runs on the
  // preparation thread. An error that it returns is the answer; otherwise it has answered or will.
  using Task = std::function<Reply<void>(Call&)>;
  // `write_error`: errors in the form of the API that the route belongs to.
  using ErrorWriter = http::Response (*)(const ApiError&);
  [[nodiscard]] http::Handler json_handler(Task task, ErrorWriter write_error = error_response);

 private:
  struct JsonTask {
    Task run;
    ErrorWriter write_error;
  };
  void prepare(const JsonTask& task, const std::shared_ptr<http::Exchange>& exchange,
               RunningAnswer::Clock::time_point arrival);

  // Destroyed from the last to the first: the preparation thread ends, then the engine, whose callbacks use the rest.
  ServiceOptions options_;
  std::unique_ptr<Telemetry> telemetry_;
  AnswerRegistry answers_;
  ResultCache cache_;
  std::atomic<ServedModel*> model_pointer_{nullptr};
  std::atomic<bool> ready_{false};
  std::unique_ptr<ServedModel> model_;
  WorkQueue preparation_;
};

}  // namespace reckon::server
