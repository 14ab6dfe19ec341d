#pragma once
// The CPUs of a machine: which of them this process may use, which share a core, a cache or a memory node.

#include <cstdint>
#include <vector>

#include "sys/sys_root.h"

namespace reckon::sys {

struct Cpu {
  int id = 0;
  int core = 0;  // lowest CPU number of its physical core
  int package = 0;
  int node = 0;            // NUMA node
  int l3_domain = 0;       // lowest CPU number that shares its last-level cache
  bool efficient = false;  // an E core of a hybrid CPU, a LITTLE core of an arm one
  bool allowed = true;     // by the affinity of this process (taskset, cpuset)
};

struct Topology {
  std::vector<Cpu> cpus;        // online, by id; at least one
  std::uint64_t l1d_bytes = 0;  // of one instance, 0: unknown
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;
  std::uint64_t l3_total_bytes = 0;  // of all instances that allowed CPUs reach

  [[nodiscard]] int n_allowed() const;
  [[nodiscard]] int n_cores() const;            // physical, that have an allowed CPU
  [[nodiscard]] int n_efficient_cores() const;  // of n_cores()
  [[nodiscard]] int n_nodes() const;            // NUMA nodes that have an allowed CPU
  [[nodiscard]] bool has_smt() const;           // two online CPUs share a core

  // The allowed CPUs in the order in which to give them threads: fast cores, then efficient ones, then the second
  // CPU of each core; near ones (node, cache) next to each other.
  [[nodiscard]] std::vector<int> pin_order() const;
};

Topology read_topology(const SysRoot& root = {});

}  // namespace reckon::sys
