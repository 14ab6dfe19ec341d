#include "metrics/snapshot_families.h"

#include "metrics/families.h"

namespace reckon::metrics {
namespace {

using Families = std::vector<prometheus::MetricFamily>;

template <class Number>
void gauge(Families& families, const char* name, const char* help, Number value) {
  families.push_back(make_gauge(name, help, static_cast<double>(value)));
}

template <class Number>
void counter(Families& families, const char* name, const char* help, Number value) {
  families.push_back(make_counter(name, help, static_cast<double>(value)));
}

void append_engine(Families& out, const Snapshot& now) {
  gauge(out, "reckon_requests_running", "Sequences that the engine works on.", now.n_running);
  gauge(out, "reckon_requests_queued", "Sequences that wait for a place.", now.n_queued);
  gauge(out, "reckon_context_tokens", "Longest prompt and answer together.", now.n_context);

  auto pages = make_gauge("reckon_kv_pages", "Pages of keys and values by what they hold.",
                          static_cast<double>(now.kv_pages_free), {{"state", "free"}});
  add_value(pages, static_cast<double>(now.kv_pages_cached), {{"state", "cached"}});
  add_value(pages, static_cast<double>(now.kv_pages), {{"state", "all"}});
  out.push_back(std::move(pages));
  const double all = static_cast<double>(now.kv_pages);
  gauge(out, "reckon_kv_use_ratio", "Share of the pages that is not free.",
        all > 0 ? 1 - static_cast<double>(now.kv_pages_free) / all : 0.0);

  counter(out, "reckon_steps_total", "Forward passes.", now.n_steps);
  auto tokens = make_counter("reckon_step_tokens_total", "Tokens computed, by what for.",
                             static_cast<double>(now.n_prefill_tokens), {{"kind", "prefill"}});
  add_value(tokens, static_cast<double>(now.n_decode_tokens), {{"kind", "decode"}});
  add_value(tokens, static_cast<double>(now.n_idle_tokens), {{"kind", "ahead"}});
  out.push_back(std::move(tokens));
  counter(out, "reckon_loops_stopped_total", "Answers or thoughts that only repeated themselves and were ended.",
          now.n_loops_stopped);
  counter(out, "reckon_preemptions_total", "Sequences put back because the pages ran out.", now.n_preemptions);

  prometheus::MetricFamily phases{.name = "reckon_phase_seconds_total",
                                  .help = "Where the time of the steps went.",
                                  .type = prometheus::MetricType::Counter,
                                  .metric = {}};
  for (const auto& [phase, seconds] : now.phase_seconds) add_value(phases, seconds, {{"phase", phase}});
  if (!phases.metric.empty()) out.push_back(std::move(phases));
}

void append_bandwidth(Families& out, const Snapshot& now) {
  counter(out, "reckon_read_bytes_total", "Bytes of weights that steps have read from memory.", now.bytes_read);
  gauge(out, "reckon_read_bytes_per_second", "The same by time, over the newest decode steps.", now.bytes_per_second);
  if (now.bandwidth_limit <= 0) return;
  gauge(out, "reckon_bandwidth_limit_bytes_per_second", "At which the weights could be read at start.",
        now.bandwidth_limit);
  gauge(out, "reckon_bandwidth_use_ratio", "Share of that limit which the newest decode steps reached.",
        now.bytes_per_second / now.bandwidth_limit);
}

void append_process(Families& out, const Snapshot& now) {
  gauge(out, "process_resident_memory_bytes", "Memory in RAM, mapped files included.", now.resident_bytes);
  gauge(out, "reckon_anonymous_memory_bytes", "Memory in RAM that is no file.", now.anonymous_bytes);
  gauge(out, "reckon_swapped_memory_bytes", "Memory of this process that was swapped out.", now.swapped_bytes);
  counter(out, "reckon_major_faults_total", "Page faults that had to read a disk.", now.major_faults);
  counter(out, "process_cpu_seconds_total", "User and system time.", now.cpu_seconds);
  gauge(out, "process_start_time_seconds", "Unix time of the start.", now.start_time_s);
  gauge(out, "process_open_fds", "Open file descriptors.", now.n_open_files);
}

}  // namespace

void append_snapshot(Families& out, const Snapshot& now, const Labels& labels) {
  append_engine(out, now);
  append_bandwidth(out, now);
  gauge(out, "reckon_threads", "Compute threads.", now.n_threads);
  auto lookups = make_counter("reckon_result_cache_requests_total", "Requests that may be answered from the cache.",
                              static_cast<double>(now.result_cache_hits), {{"result", "hit"}});
  add_value(lookups, static_cast<double>(now.result_cache_misses), {{"result", "miss"}});
  out.push_back(std::move(lookups));
  append_process(out, now);
  out.push_back(make_gauge("reckon_build_info", "What runs here.", 1,
                           {{"version", labels.version}, {"isa", labels.isa}, {"model", labels.model}}));
}

}  // namespace reckon::metrics
