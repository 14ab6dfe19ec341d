// Cost of choosing one token of 151 936 (Qwen2's vocabulary). The bound is 1 % of a decode step of 25 ms: 250 us.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sample/logprobs.h"
#include "sample/loop_guard.h"
#include "sample/sampler.h"

namespace reckon::sample {
namespace {

constexpr std::size_t kVocab = 151936;

// Shaped like a language model's: most logits around zero with a spread of 2.5, a few dozen that stand out.
std::vector<float> model_like_logits() {
  std::mt19937 random(1);
  std::normal_distribution<float> body(0, 2.5F);
  std::exponential_distribution<float> head(0.5F);
  std::vector<float> logits(kVocab);
  for (float& x : logits) x = body(random);
  for (int i = 0; i < 60; ++i) logits[random() % kVocab] = 12 + head(random);
  return logits;
}

void run(benchmark::State& state, const SampleOptions& options) {
  const auto logits = model_like_logits();
  std::vector<float> work(kVocab);
  Sampler sampler(kVocab);
  std::uint64_t position = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::ranges::copy(logits, work.begin());
    state.ResumeTiming();
    benchmark::DoNotOptimize(sampler.sample({.logits = work, .options = &options, .position = position++}));
  }
}

void greedy(benchmark::State& state) { run(state, {}); }
void temperature_only(benchmark::State& state) { run(state, {.temperature = 1}); }
void r1_defaults(benchmark::State& state) { run(state, {.temperature = 0.6F, .top_p = 0.95F}); }
void qwen_defaults(benchmark::State& state) { run(state, {.temperature = 0.7F, .top_k = 20, .top_p = 0.8F}); }
void hot(benchmark::State& state) { run(state, {.temperature = 2, .top_p = 0.95F}); }
void min_p(benchmark::State& state) { run(state, {.temperature = 1, .min_p = 0.05F}); }

void top_20_logprobs(benchmark::State& state) {
  const auto logits = model_like_logits();
  Logprobs logprobs(kVocab);
  std::vector<TokenLogprob> top;
  top.reserve(20);
  for (auto _ : state) {
    logprobs.scan(logits);
    logprobs.top(20, top);
    benchmark::DoNotOptimize(top.data());
  }
}

void loop_guard(benchmark::State& state) {
  LoopGuard guard;
  TokenId id = 0;
  for (auto _ : state) benchmark::DoNotOptimize(guard.push(id++ & 0xffff));
}

BENCHMARK(greedy)->Unit(benchmark::kMicrosecond);
BENCHMARK(r1_defaults)->Unit(benchmark::kMicrosecond);
BENCHMARK(qwen_defaults)->Unit(benchmark::kMicrosecond);
BENCHMARK(temperature_only)->Unit(benchmark::kMicrosecond);
BENCHMARK(min_p)->Unit(benchmark::kMicrosecond);
BENCHMARK(hot)->Unit(benchmark::kMicrosecond);
BENCHMARK(top_20_logprobs)->Unit(benchmark::kMicrosecond);
BENCHMARK(loop_guard);

}  // namespace
}  // namespace reckon::sample
