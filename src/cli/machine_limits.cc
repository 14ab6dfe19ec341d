#include "cli/machine_limits.h"

#include <algorithm>
#include <chrono>

#include "kernels/dispatch.h"
#include "sys/bandwidth.h"
#include "sys/thread_advice.h"

namespace reckon::cli {
namespace {

// Long enough to touch several times the largest cache of a server on a slow machine; a smaller probe would measure
// cache.
constexpr int kProbeMs = 3000;

// Multiply-adds a second of int8 dot products in registers, all threads at once: the best of a few short runs.
double int8_peak(sys::ThreadPool& threads) {
  const auto table = kernels::pick_table();
  if (!table) return 0;
  constexpr int kRuns = 5;
  constexpr long kLoops = 400'000;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    double macs = 0;
    const auto begin = std::chrono::steady_clock::now();
    auto task = [&](int i_thread) {
      const double mine = (*table)->int8_peak_loop(kLoops);
      if (i_thread == 0) macs = mine * threads.size();
    };
    threads.run(task);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, macs / seconds.count());
  }
  return best;
}

}  // namespace

MachineLimits measure_machine(sys::ThreadPool& threads) {
  MachineLimits limits;
  const auto measured = sys::measure_limits(threads, kProbeMs);
  if (measured) {
    limits.barrier_ns = measured->barrier_ns;
    if (!measured->probe_is_small) limits.read_bandwidth_gbs = measured->read_gb_per_s;
  }
  limits.int8_macs = int8_peak(threads);
  return limits;
}

int default_threads() {
  return sys::recommend_threads(sys::read_topology(), sys::read_cgroup_limits(), sys::thread_wish_of_environment())
      .n_threads;
}

}  // namespace reckon::cli
