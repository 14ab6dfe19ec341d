#include "metrics/service_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace reckon::metrics {
namespace {

// "name{labels}" -> value, as a scraper reads it.
std::map<std::string, double> parse(const std::string& text) {
  std::map<std::string, double> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.rfind(' ');
    values[line.substr(0, blank)] = std::stod(line.substr(blank + 1));
  }
  return values;
}

AnswerRecord an_answer() {
  return {.finish = "stop",
          .queue_s = 0.1,
          .prefill_s = 0.4,
          .decode_s = 2,
          .total_s = 2.5,
          .first_token_s = 0.5,
          .first_answer_token_s = 1.5,
          .thought_s = 1,
          .n_prompt = 100,
          .n_cached = 60,
          .n_thought = 20,
          .n_answer = 21};
}

ServiceMetrics make_metrics() { return ServiceMetrics({.model = "m", .version = "1", .isa = "avx2"}); }

TEST(ServiceMetrics, counts_answers_by_how_they_ended_and_their_tokens_by_part) {
  auto metrics = make_metrics();
  metrics.answer_ended(an_answer());
  metrics.answer_ended(an_answer());
  const auto values = parse(metrics.text({}, {}));
  EXPECT_EQ(values.at("reckon_answers_total{finish_reason=\"stop\"}"), 2);
  EXPECT_EQ(values.at("reckon_answers_total{finish_reason=\"timeout\"}"), 0);
  EXPECT_EQ(values.at("reckon_prompt_tokens_total{source=\"computed\"}"), 80);
  EXPECT_EQ(values.at("reckon_prompt_tokens_total{source=\"cache\"}"), 120);
  EXPECT_EQ(values.at("reckon_generated_tokens_total{part=\"thought\"}"), 40);
  EXPECT_EQ(values.at("reckon_generated_tokens_total{part=\"answer\"}"), 42);
  EXPECT_EQ(values.at("reckon_time_per_output_token_seconds_sum"), 0.1);
}

TEST(ServiceMetrics, an_answer_that_never_began_has_no_times) {
  auto metrics = make_metrics();
  metrics.answer_ended({.finish = "cancelled", .total_s = 3, .n_prompt = 5});
  const auto values = parse(metrics.text({}, {}));
  EXPECT_EQ(values.at("reckon_time_to_first_token_seconds_count"), 0);
  EXPECT_EQ(values.at("reckon_queue_seconds_count"), 0);
  EXPECT_EQ(values.at("reckon_request_seconds_count"), 1);
}

TEST(ServiceMetrics, shows_how_things_are_when_somebody_looks) {
  const auto metrics = make_metrics();
  const auto values = parse(metrics.text({.n_running = 3,
                                          .kv_pages = 10,
                                          .kv_pages_free = 4,
                                          .bytes_per_second = 30e9,
                                          .bandwidth_limit = 40e9,
                                          .phase_seconds = {{"qkv", 1.5}},
                                          .swapped_bytes = 4096},
                                         {}));
  EXPECT_EQ(values.at("reckon_requests_running"), 3);
  EXPECT_DOUBLE_EQ(values.at("reckon_kv_use_ratio"), 0.6);
  EXPECT_DOUBLE_EQ(values.at("reckon_bandwidth_use_ratio"), 0.75);
  EXPECT_EQ(values.at("reckon_phase_seconds_total{phase=\"qkv\"}"), 1.5);
  EXPECT_EQ(values.at("reckon_swapped_memory_bytes"), 4096);
  EXPECT_FALSE(parse(metrics.text({}, {})).contains("reckon_bandwidth_use_ratio")) << "no limit was measured";
}

TEST(ServiceMetrics, aliases_carry_the_same_figures) {
  auto metrics = make_metrics();
  metrics.answer_ended(an_answer());
  metrics.token_gap(0.05);
  EXPECT_EQ(metrics.text({}, {}).find("vllm:"), std::string::npos);
  const auto values = parse(metrics.text({.n_running = 2}, {.llama_cpp = true, .vllm = true}));
  EXPECT_EQ(values.at("llamacpp:tokens_predicted_total"), 41);
  EXPECT_EQ(values.at("llamacpp:predicted_tokens_seconds"), 20.5);
  EXPECT_EQ(values.at("llamacpp:requests_processing"), 2);
  EXPECT_EQ(values.at("vllm:num_requests_running{model_name=\"m\"}"), 2);
  EXPECT_EQ(values.at("vllm:inter_token_latency_seconds_count{model_name=\"m\"}"), 1);
  EXPECT_EQ(values.at("vllm:prefix_cache_hits_total{model_name=\"m\"}"), 60);
  EXPECT_EQ(values.at("vllm:request_success_total{finished_reason=\"stop\",model_name=\"m\"}"), 1);
}

TEST(ServiceMetrics, every_family_is_described_once) {
  const auto metrics = make_metrics();
  std::istringstream lines(metrics.text({.phase_seconds = {{"x", 1}}}, {.llama_cpp = true, .vllm = true}));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# TYPE ")) continue;
    EXPECT_TRUE(seen.insert(line).second) << line;
  }
  EXPECT_GT(seen.size(), 40U);
}

TEST(ServiceMetrics, http_requests_are_counted_by_route_not_by_path) {
  auto metrics = make_metrics();
  metrics.http_ended({.handler = "/v1/models/{id}", .method = "GET", .status = 404, .duration_s = 0.001});
  EXPECT_EQ(
      parse(metrics.text({}, {})).at("http_requests_total{handler=\"/v1/models/{id}\",method=\"GET\",status=\"404\"}"),
      1);
}

}  // namespace
}  // namespace reckon::metrics
