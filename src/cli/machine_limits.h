#pragma once
// What the machine could do at best in this minute, to hold results against.

#include "sys/thread_pool.h"

namespace reckon::cli {

struct MachineLimits {
  double read_bandwidth_gbs = 0;  // 0: not measured
  double barrier_ns = 0;
  double int8_macs = 0;  // multiply-adds a second over all threads; 0: not known for this table
};

MachineLimits measure_machine(sys::ThreadPool& threads);
// Physical cores within affinity and quota.
int default_threads();

}  // namespace reckon::cli
