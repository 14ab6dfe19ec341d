// What the machine and the pool cost: a barrier, an empty run(), reading memory.
// Other programs disturb a median, so the least of several repetitions is shown too.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "sys/bandwidth.h"
#include "sys/thread_pool.h"

namespace reckon::sys {
namespace {

constexpr int kBarriersPerRun = 1000;

double least(const std::vector<double>& times) { return *std::ranges::min_element(times); }

void barrier(benchmark::State& state) {
  auto pool = ThreadPool::create({.n_threads = static_cast<int>(state.range(0))});
  if (!pool) return state.SkipWithError(pool.error().message.c_str());
  auto task = [&](int i_thread) {
    for (int i = 0; i < kBarriersPerRun; ++i) (*pool)->barrier(i_thread);
  };
  for (auto _ : state) (*pool)->run(task);
  state.counters["one"] =
      benchmark::Counter(kBarriersPerRun, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(barrier)->DenseRange(1, 3)->UseRealTime()->Repetitions(10)->ReportAggregatesOnly()->ComputeStatistics("min",
                                                                                                                least);

void empty_run(benchmark::State& state) {
  auto pool = ThreadPool::create({.n_threads = static_cast<int>(state.range(0))});
  if (!pool) return state.SkipWithError(pool.error().message.c_str());
  auto task = [](int i_thread) { benchmark::DoNotOptimize(i_thread); };
  for (auto _ : state) (*pool)->run(task);
}
BENCHMARK(empty_run)->DenseRange(1, 3)->UseRealTime()->Repetitions(10)->ReportAggregatesOnly()->ComputeStatistics(
    "min", least);

void read_memory(benchmark::State& state) {
  auto pool = ThreadPool::create({.n_threads = static_cast<int>(state.range(0))});
  if (!pool) return state.SkipWithError(pool.error().message.c_str());
  for (auto _ : state) {
    const auto limits = measure_limits(**pool);
    if (!limits) return state.SkipWithError(limits.error().message.c_str());
    state.counters["GB/s"] = limits->read_gb_per_s;
    state.counters["probe MB"] = static_cast<double>(limits->probe_bytes) * 1e-6;
    state.counters["barrier ns"] = limits->barrier_ns;
  }
}
BENCHMARK(read_memory)->DenseRange(1, 2)->UseRealTime()->Iterations(1)->Repetitions(3);

}  // namespace
}  // namespace reckon::sys

BENCHMARK_MAIN();
