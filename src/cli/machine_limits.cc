#include "cli/machine_limits.h"

#include "sys/bandwidth.h"
#include "sys/thread_advice.h"

namespace reckon::cli {

namespace {
// Long enough to touch several times the largest cache of a server on a slow machine; a smaller probe would measure
// cache.
constexpr int kProbeMs = 3000;
}  // namespace

MachineLimits measure_machine(sys::ThreadPool& threads) {
  MachineLimits limits;
  const auto measured = sys::measure_limits(threads, kProbeMs);
  if (measured && !measured->probe_is_small) {
    limits.read_bandwidth_gbs = measured->read_gb_per_s;
    limits.barrier_ns = measured->barrier_ns;
  }
  return limits;
}

int default_threads() {
  return sys::recommend_threads(sys::read_topology(), sys::read_cgroup_limits(), sys::thread_wish_of_environment())
      .n_threads;
}

}  // namespace reckon::cli
