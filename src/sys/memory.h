#pragma once
// Memory of the machine and of this process.

#include <cstdint>
#include <string>

#include "sys/sys_root.h"

namespace reckon::sys {

struct MachineMemory {
  std::uint64_t total_bytes = 0;      // of the machine, or the control group's limit where that is less
  std::uint64_t available_bytes = 0;  // that can be taken without swapping, under the same limit
  std::string limit_file;             // empty: no control group limits it
};

// Zeros where /proc/meminfo cannot be read.
MachineMemory read_machine_memory(const SysRoot& root = {});

struct ProcessMemory {
  std::uint64_t resident_bytes = 0;       // with mapped files
  std::uint64_t peak_resident_bytes = 0;  // VmHWM
  std::uint64_t anonymous_bytes = 0;      // of resident: without mapped files
  std::uint64_t swapped_bytes = 0;
  std::uint64_t major_faults = 0;  // page faults that read a disk
};

ProcessMemory read_process_memory(const SysRoot& root = {});

}  // namespace reckon::sys
