#pragma once
// What is known about the service's work: metrics for Prometheus, and a log of requests. No text of users or of the
// model goes into either. Owner: Service. Thread: any.

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "http/server.h"
#include "metrics/service_metrics.h"
#include "server/request_log.h"
#include "server/running_answer.h"

namespace reckon::server {

class Service;

class Telemetry {
 public:
  struct Setup {
    metrics::Labels labels;
    metrics::Aliases aliases;  // names of other engines, beside our own
    std::string request_log;   // file, "-" for standard error; empty: none
  };
  // kIo: the log cannot be written.
  static Result<std::unique_ptr<Telemetry>> create(Setup setup);

  void exchange_ended(const http::ExchangeEnd& end);  // I/O thread

  // Counts what passes by. `request_id` ties the lines of the log together.
  [[nodiscard]] std::shared_ptr<AnswerListener> metered(std::shared_ptr<AnswerListener> next, std::string request_id,
                                                        std::string client);

  // The text of GET /metrics.
  [[nodiscard]] std::string prometheus_text(const Service& service);

 private:
  friend class MeteredListener;
  explicit Telemetry(Setup setup) : setup_(std::move(setup)), metrics_(setup_.labels) {}
  void answer_ended(const ChoiceResult& result, const std::string& request_id, const std::string& client);
  [[nodiscard]] double decode_bytes_per_second(const EngineStats& stats, std::uint64_t weight_bytes);

  Setup setup_;
  metrics::ServiceMetrics metrics_;
  std::unique_ptr<RequestLog> log_;  // null: none
  const double start_time_s_ =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();

  std::mutex mutex_;  // guards what follows: the decode steps at the last look
  std::uint64_t n_decode_steps_ = 0;
  double decode_seconds_ = 0;
  double bytes_per_second_ = 0;
};

}  // namespace reckon::server
