#pragma once
// The limits that a container or a service manager has put on this process (control groups, v1 and v2).

#include <cstdint>
#include <optional>
#include <string>

#include "sys/sys_root.h"

namespace reckon::sys {

// Groups nest and every ancestor's limit holds too: each limit is the least over the path.
struct CgroupLimits {
  std::optional<double> cpus;  // CPU time per wall-clock time, may be fractional; at least 0.01
  std::string cpus_file;       // the file that says so

  std::optional<std::uint64_t> memory_bytes;
  std::string memory_file;
  std::uint64_t memory_used_bytes = 0;  // by that group, without the file cache that the kernel can drop
};

CgroupLimits read_cgroup_limits(const SysRoot& root = {});

}  // namespace reckon::sys
