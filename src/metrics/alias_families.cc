#include "metrics/alias_families.h"

#include <array>

#include "metrics/families.h"

namespace reckon::metrics {
namespace {

using Families = std::vector<prometheus::MetricFamily>;
using prometheus::MetricFamily;
using prometheus::MetricType;

double value_of(const MetricFamily& family, const prometheus::ClientMetric& metric) {
  if (family.type == MetricType::Counter) return metric.counter.value;
  return family.type == MetricType::Histogram ? metric.histogram.sample_sum : metric.gauge.value;
}

// The sum of a family's values (of a histogram: of what it observed), over the series with that label; an empty label
// takes all.
double sum_of(const Families& families, const std::string& name, const prometheus::ClientMetric::Label& label = {}) {
  const MetricFamily* family = find_family(families, name);
  if (family == nullptr) return 0;
  double sum = 0;
  for (const auto& metric : family->metric) {
    bool counts = label.name.empty();
    for (const auto& own : metric.label) counts = counts || own == label;
    if (counts) sum += value_of(*family, metric);
  }
  return sum;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

void append_llama_cpp(Families& out) {
  const double prompt = sum_of(out, "reckon_prompt_tokens_total", {"source", "computed"});
  const double prompt_s = sum_of(out, "reckon_prefill_seconds");
  const double generated = sum_of(out, "reckon_generated_tokens_total");
  const double generated_s = sum_of(out, "reckon_decode_seconds");
  const double steps = sum_of(out, "reckon_steps_total");
  const double decoded = sum_of(out, "reckon_step_tokens_total", {"kind", "decode"});
  Families made;
  made.push_back(make_counter("llamacpp:prompt_tokens_total", "Prompt tokens computed.", prompt));
  made.push_back(make_counter("llamacpp:prompt_seconds_total", "Time of prompts.", prompt_s));
  made.push_back(make_gauge("llamacpp:prompt_tokens_seconds", "Average of both.", ratio(prompt, prompt_s)));
  made.push_back(make_counter("llamacpp:tokens_predicted_total", "Tokens generated.", generated));
  made.push_back(make_counter("llamacpp:tokens_predicted_seconds_total", "Time of answers.", generated_s));
  made.push_back(make_gauge("llamacpp:predicted_tokens_seconds", "Average of both.", ratio(generated, generated_s)));
  made.push_back(make_gauge("llamacpp:requests_processing", "Running.", sum_of(out, "reckon_requests_running")));
  made.push_back(make_gauge("llamacpp:requests_deferred", "Waiting.", sum_of(out, "reckon_requests_queued")));
  made.push_back(make_counter("llamacpp:n_decode_total", "Forward passes.", steps));
  made.push_back(make_gauge("llamacpp:n_busy_slots_per_decode", "Sequences in a pass.", ratio(decoded, steps)));
  out.insert(out.end(), made.begin(), made.end());
}

struct SameFigure {
  const char* ours;
  const char* theirs;
};
// Of the same type, unit and buckets.
constexpr std::array<SameFigure, 11> kVllm = {{
    {"reckon_requests_running", "vllm:num_requests_running"},
    {"reckon_requests_queued", "vllm:num_requests_waiting"},
    {"reckon_kv_use_ratio", "vllm:kv_cache_usage_perc"},
    {"reckon_preemptions_total", "vllm:num_preemptions_total"},
    {"reckon_time_to_first_token_seconds", "vllm:time_to_first_token_seconds"},
    {"reckon_inter_token_seconds", "vllm:inter_token_latency_seconds"},
    {"reckon_request_seconds", "vllm:e2e_request_latency_seconds"},
    {"reckon_queue_seconds", "vllm:request_queue_time_seconds"},
    {"reckon_prefill_seconds", "vllm:request_prefill_time_seconds"},
    {"reckon_decode_seconds", "vllm:request_decode_time_seconds"},
    {"reckon_request_prompt_tokens", "vllm:request_prompt_tokens"},
}};

void append_vllm(Families& out, const std::string& model) {
  const LabelList labels = {{"model_name", model}};
  Families made;
  for (const SameFigure& figure : kVllm) {
    const MetricFamily* family = find_family(out, figure.ours);
    if (family == nullptr) continue;
    MetricFamily copy = *family;
    copy.name = figure.theirs;
    for (auto& metric : copy.metric) metric.label.push_back({"model_name", model});
    made.push_back(std::move(copy));
  }
  made.push_back(
      make_counter("vllm:prompt_tokens_total", "Prompt tokens.", sum_of(out, "reckon_prompt_tokens_total"), labels));
  made.push_back(make_counter("vllm:generation_tokens_total", "Tokens generated.",
                              sum_of(out, "reckon_generated_tokens_total"), labels));
  made.push_back(make_counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up.",
                              sum_of(out, "reckon_prompt_tokens_total"), labels));
  made.push_back(make_counter("vllm:prefix_cache_hits_total", "Prompt tokens found.",
                              sum_of(out, "reckon_prompt_tokens_total", {"source", "cache"}), labels));
  if (const MetricFamily* answers = find_family(out, "reckon_answers_total")) {
    MetricFamily copy = *answers;
    copy.name = "vllm:request_success_total";
    for (auto& metric : copy.metric) {
      for (auto& label : metric.label) label.name = "finished_reason";
      metric.label.push_back({"model_name", model});
    }
    made.push_back(std::move(copy));
  }
  out.insert(out.end(), made.begin(), made.end());
}

}  // namespace

void append_aliases(Families& families, Aliases aliases, const std::string& model) {
  if (aliases.llama_cpp) append_llama_cpp(families);
  if (aliases.vllm) append_vllm(families, model);
}

}  // namespace reckon::metrics
