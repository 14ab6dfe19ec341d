#include "cli/machine_limits.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/dispatch.h"
#include "sys/bandwidth.h"
#include "sys/thread_advice.h"

namespace reckon::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough to touch several times the largest cache, even where first touches are slow; less would measure the
// cache.
constexpr int kProbeMs = 3000;
constexpr double kPassSeconds = 0.02;
constexpr int kPasses = 5;
constexpr long kFirstBlocks = 100'000;
constexpr long kMaxBlocks = 1'000'000'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Multiply-adds a second over all threads: the best of a few short passes, since others may take a core for a moment.
double int8_peak(sys::ThreadPool& threads, const kernels::Table& table) {
  std::vector<double> done(static_cast<std::size_t>(threads.size()));
  long n = kFirstBlocks;
  auto task = [&](int i) { done[static_cast<std::size_t>(i)] = table.int8_peak_loop(n); };
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto start = Clock::now();
    threads.run(task);
    const double seconds = std::max(seconds_since(start), 1e-9);
    double macs = 0;
    for (const double of_thread : done) macs += of_thread;
    best = std::max(best, macs / seconds);
    n = std::clamp(static_cast<long>(static_cast<double>(n) * kPassSeconds / seconds), 1L, kMaxBlocks);
  }
  return best;
}

}  // namespace

MachineLimits measure_machine(sys::ThreadPool& threads) {
  MachineLimits limits;
  if (const auto measured = sys::measure_limits(threads, kProbeMs)) {
    if (!measured->probe_is_small) limits.read_bandwidth_gbs = measured->read_gb_per_s;
    limits.barrier_ns = measured->barrier_ns;
  }
  if (const auto table = kernels::pick_table()) limits.int8_macs = int8_peak(threads, **table);
  return limits;
}

int default_threads() {
  return sys::recommend_threads(sys::read_topology(), sys::read_cgroup_limits(), sys::thread_wish_of_environment())
      .n_threads;
}

}  // namespace reckon::cli
