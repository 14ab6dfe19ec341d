#include "sys/memory.h"

#include <algorithm>

#include "sys/cgroup.h"

namespace reckon::sys {

MachineMemory read_machine_memory(const SysRoot& root) {
  const std::string info = root.read("/proc/meminfo").value_or("");
  MachineMemory memory;
  memory.total_bytes = find_bytes(info, "MemTotal").value_or(0);
  memory.available_bytes = find_bytes(info, "MemAvailable").value_or(memory.total_bytes);
  const CgroupLimits limits = read_cgroup_limits(root);
  if (limits.memory_bytes && *limits.memory_bytes < memory.total_bytes) {
    const std::uint64_t limit = *limits.memory_bytes;
    memory.total_bytes = limit;
    memory.available_bytes = std::min(memory.available_bytes, limit - std::min(limit, limits.memory_used_bytes));
    memory.limit_file = limits.memory_file;
  }
  return memory;
}

ProcessMemory read_process_memory(const SysRoot& root) {
  const std::string status = root.read("/proc/self/status").value_or("");
  ProcessMemory memory;
  memory.resident_bytes = find_bytes(status, "VmRSS").value_or(0);
  memory.peak_resident_bytes = find_bytes(status, "VmHWM").value_or(0);
  memory.anonymous_bytes = find_bytes(status, "RssAnon").value_or(0);
  memory.swapped_bytes = find_bytes(status, "VmSwap").value_or(0);
  // Field 12 of stat. The program's name, field 2, may hold anything but ends with the last ')'.
  const std::string stat = root.read("/proc/self/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return memory;
  const auto fields = split(std::string_view(stat).substr(name_end + 1), ' ');  // [1] is field 3
  if (fields.size() > 10) {
    memory.major_faults = static_cast<std::uint64_t>(std::max<std::int64_t>(0, parse_int(fields[10]).value_or(0)));
  }
  return memory;
}

}  // namespace reckon::sys
