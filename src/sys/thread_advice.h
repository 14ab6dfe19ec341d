#pragma once
// How many compute threads to start, and why.

#include <optional>
#include <string>

#include "sys/cgroup.h"
#include "sys/topology.h"

namespace reckon::sys {

struct ThreadAdvice {
  int n_threads = 1;
  std::string why;  // "2 threads: the control group allows 2.5 CPUs (/sys/fs/cgroup/cpu.max), of 8 cores"
};

// A wish from the environment, e.g. {"OMP_NUM_THREADS", 4}.
struct ThreadWish {
  std::string variable;
  int n_threads = 0;
};

// OMP_NUM_THREADS, else MKL_NUM_THREADS: people set them for every engine they use.
std::optional<ThreadWish> thread_wish_of_environment();

// The least of: physical cores that the process may use (on a hybrid CPU the fast ones), CPU quota rounded down, wish.
// A thread more than the quota or a slow core stops all others at each barrier, so rounding up never pays.
ThreadAdvice recommend_threads(const Topology& topology, const CgroupLimits& limits,
                               const std::optional<ThreadWish>& wish);

}  // namespace reckon::sys
