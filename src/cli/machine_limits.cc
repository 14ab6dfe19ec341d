#include "cli/machine_limits.h"

#include "sys/bandwidth.h"
#include "sys/thread_advice.h"

namespace reckon::cli {

MachineLimits measure_machine(sys::ThreadPool& threads) {
  MachineLimits limits;
  if (const auto measured = sys::measure_limits(threads)) {
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
