#include "metrics/service_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <sstream>

#include "metrics/alias_families.h"
#include "metrics/snapshot_families.h"

namespace reckon::metrics {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;
using prometheus::Registry;

// Bounds in seconds and tokens. Those that vLLM has too are vLLM's, so that the aliases are exact.
const Histogram::BucketBoundaries kFirstToken = {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
                                                 1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
const Histogram::BucketBoundaries kGap = {.01, .025, .05, .075, .1, .15, .2, .3, .4,
                                          .5,  .75,  1,   2.5,  5,  7.5, 10, 20, 40};
const Histogram::BucketBoundaries kDuration = {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                               30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
const Histogram::BucketBoundaries kTokens = {1,   2,    5,    10,   20,    50,    100,   200,
                                             500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};

Histogram& histogram(Registry& registry, const char* name, const char* help,
                     const Histogram::BucketBoundaries& bounds) {
  return BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

Family<Counter>& counters(Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

}  // namespace

struct ServiceMetrics::Series {
  explicit Series(Labels given) : labels(std::move(given)) {
    // Series that exist from the start let rate() see the first event.
    for (const char* finish : {"stop", "length", "tool_calls", "repetition", "timeout", "cancelled", "failed"}) {
      answers.Add({{"finish_reason", finish}});
    }
  }

  Labels labels;
  Registry registry;
  Family<Counter>& answers = counters(registry, "reckon_answers_total", "Answers that ended, by how.");
  Family<Counter>& http =
      counters(registry, "http_requests_total", "Requests answered; status 0: the client left before.");
  Family<Counter>& prompt_tokens =
      counters(registry, "reckon_prompt_tokens_total", "Prompt tokens, by whether they had to be computed.");
  Counter& prompt_computed = prompt_tokens.Add({{"source", "computed"}});
  Counter& prompt_cached = prompt_tokens.Add({{"source", "cache"}});
  Family<Counter>& generated_tokens =
      counters(registry, "reckon_generated_tokens_total", "Tokens generated, in thoughts and in answers.");
  Counter& thought_tokens = generated_tokens.Add({{"part", "thought"}});
  Counter& answer_tokens = generated_tokens.Add({{"part", "answer"}});
  Counter& thought_seconds =
      counters(registry, "reckon_thought_seconds_total", "Time that answers spent in their thoughts.").Add({});
  Histogram& first_token =
      histogram(registry, "reckon_time_to_first_token_seconds", "From arrival to the first token.", kFirstToken);
  Histogram& first_answer = histogram(registry, "reckon_time_to_first_answer_token_seconds",
                                      "From arrival to the first token after the thought.", kFirstToken);
  Histogram& gap = histogram(registry, "reckon_inter_token_seconds", "Between two tokens of an answer.", kGap);
  Histogram& per_token = histogram(registry, "reckon_time_per_output_token_seconds",
                                   "Decoding time of an answer by its tokens after the first.", kGap);
  Histogram& queue = histogram(registry, "reckon_queue_seconds", "Waiting for the first step.", kDuration);
  Histogram& prefill = histogram(registry, "reckon_prefill_seconds", "Computing the prompt.", kDuration);
  Histogram& decode = histogram(registry, "reckon_decode_seconds", "From the first token to the last.", kDuration);
  Histogram& total = histogram(registry, "reckon_request_seconds", "From arrival to the end of the answer.", kDuration);
  Histogram& http_duration =
      histogram(registry, "http_request_duration_seconds", "Requests of any kind, streams included.", kFirstToken);
  Histogram& prompt_length = histogram(registry, "reckon_request_prompt_tokens", "Length of prompts.", kTokens);
  Histogram& answer_length =
      histogram(registry, "reckon_request_generated_tokens", "Length of answers, thoughts included.", kTokens);
};

ServiceMetrics::ServiceMetrics(Labels labels) : series_(std::make_unique<Series>(std::move(labels))) {}
ServiceMetrics::~ServiceMetrics() = default;

void ServiceMetrics::answer_ended(const AnswerRecord& record) {
  const auto observe = [](Histogram& histogram, double seconds) {
    if (seconds >= 0) histogram.Observe(seconds);
  };
  Series& s = *series_;
  s.answers.Add({{"finish_reason", std::string(record.finish)}}).Increment();
  s.prompt_computed.Increment(record.n_prompt - record.n_cached);
  s.prompt_cached.Increment(record.n_cached);
  s.thought_tokens.Increment(record.n_thought);
  s.answer_tokens.Increment(record.n_answer);
  s.thought_seconds.Increment(record.thought_s);
  observe(s.first_token, record.first_token_s);
  observe(s.first_answer, record.first_answer_token_s);
  observe(s.queue, record.queue_s);
  observe(s.prefill, record.prefill_s);
  observe(s.decode, record.decode_s);
  observe(s.total, record.total_s);
  const int n_generated = record.n_thought + record.n_answer;
  if (n_generated > 1 && record.decode_s >= 0) s.per_token.Observe(record.decode_s / (n_generated - 1));
  s.prompt_length.Observe(record.n_prompt);
  s.answer_length.Observe(n_generated);
}

void ServiceMetrics::token_gap(double seconds) { series_->gap.Observe(seconds); }

void ServiceMetrics::http_ended(const HttpRecord& record) {
  series_->http
      .Add({{"handler", std::string(record.handler)},
            {"method", std::string(record.method)},
            {"status", std::to_string(record.status)}})
      .Increment();
  series_->http_duration.Observe(record.duration_s);
}

std::string ServiceMetrics::text(const Snapshot& now, Aliases aliases) const {
  auto families = series_->registry.Collect();
  append_snapshot(families, now, series_->labels);
  append_aliases(families, aliases, series_->labels.model);
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace reckon::metrics
