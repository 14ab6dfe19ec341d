#pragma once
// What the service tells Prometheus. Counts of what happened are kept here; what is so at this moment comes with the
// scrape. Over prometheus-cpp, which stays behind this header. All members are thread-safe and never block for long.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reckon::metrics {

// One answer that has ended, however it did. Seconds; negative: it never came to that.
struct AnswerRecord {
  std::string_view finish;  // stop, length, tool_calls, repetition, timeout, cancelled, failed
  double queue_s = -1;      // waiting for its first step
  double prefill_s = -1;
  double decode_s = -1;
  double total_s = 0;
  double first_token_s = -1;         // from arrival
  double first_answer_token_s = -1;  // from arrival to the first token after the thought
  double thought_s = 0;
  int n_prompt = 0;
  int n_cached = 0;
  int n_thought = 0;
  int n_answer = 0;
};

struct HttpRecord {
  std::string_view handler;  // the path pattern of the route; "none"
  std::string_view method;   // of the known ones, else "other", so that nobody can make series
  int status = 0;            // 0: the client left before there was one
  double duration_s = 0;
};

// How things are when somebody looks. The totals only grow.
struct Snapshot {
  int n_running = 0;
  int n_queued = 0;
  int n_threads = 0;
  std::uint64_t n_context = 0;
  std::uint64_t kv_pages = 0;
  std::uint64_t kv_pages_free = 0;
  std::uint64_t kv_pages_cached = 0;
  std::uint64_t n_steps = 0;
  std::uint64_t n_prefill_tokens = 0;
  std::uint64_t n_decode_tokens = 0;
  std::uint64_t n_idle_tokens = 0;  // computed ahead for a next turn
  std::uint64_t n_loops_stopped = 0;
  std::uint64_t n_preemptions = 0;
  std::uint64_t bytes_read = 0;  // weights, that steps have streamed from memory
  double bytes_per_second = 0;   // of the newest decode steps
  double bandwidth_limit = 0;    // bytes a second at which the weights could be read at start; 0: not measured
  std::vector<std::pair<std::string, double>> phase_seconds = {};
  std::uint64_t result_cache_hits = 0;
  std::uint64_t result_cache_misses = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t swapped_bytes = 0;
  std::uint64_t major_faults = 0;
  double cpu_seconds = 0;
  double start_time_s = 0;  // Unix time
  int n_open_files = 0;
};

struct Labels {
  std::string model;    // the name that clients use
  std::string version;  // of the program
  std::string isa;      // the instruction set that the kernels use
};

// Names under which other engines' dashboards look for the same figures; they come beside our own.
struct Aliases {
  bool llama_cpp = false;  // llamacpp:*
  bool vllm = false;       // vllm:*
};

class ServiceMetrics {
 public:
  explicit ServiceMetrics(Labels labels);
  ~ServiceMetrics();

  void answer_ended(const AnswerRecord& record);
  void token_gap(double seconds);  // between two tokens of one answer, as they left
  void http_ended(const HttpRecord& record);

  // The text format 0.0.4 of Prometheus.
  [[nodiscard]] std::string text(const Snapshot& now, Aliases aliases) const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace reckon::metrics
