#include "sys/cgroup.h"

#include <algorithm>
#include <vector>

namespace reckon::sys {
namespace {

constexpr int kMaxDepth = 64;

// The folders of this process's group in one hierarchy, from its own up to the topmost that is visible.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> folders;
};

struct Mount {
  bool v2 = false;
  std::string_view root;  // the group that the mount shows as its top
  std::string_view point;
  std::vector<std::string_view> options;  // v1: names its controllers
};

// Format: man 5 proc_pid_mountinfo. Fields before " - " are optional in number, the three after it are fixed.
std::optional<Mount> parse_mount(std::string_view line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto before = split(line.substr(0, dash), ' ');
  const auto after = split(line.substr(dash + 3), ' ');
  if (before.size() < 5 || after.size() < 3) return std::nullopt;
  if (after[0] != "cgroup" && after[0] != "cgroup2") return std::nullopt;
  return Mount{after[0] == "cgroup2", before[3], before[4], split(after[2], ',')};
}

// The path of this process in the hierarchy of `controller`; v2 has one hierarchy with the number 0 and no name.
std::optional<std::string_view> own_path(std::string_view cgroup_file, bool v2, std::string_view controller) {
  for (const std::string_view line : split(cgroup_file, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    const bool match = v2 ? line.starts_with("0::") : std::ranges::find(controllers, controller) != controllers.end();
    if (match) return line.substr(second + 1);
  }
  return std::nullopt;
}

std::vector<std::string> folders_up(const Mount& mount, std::string_view path) {
  // In a container the mount shows the container's group as its top, whatever the path says.
  std::string_view below = mount.root == "/" ? path : std::string_view{};
  if (mount.root != "/" && path.starts_with(mount.root)) {
    below = path.substr(mount.root.size());
    if (!below.empty() && !below.starts_with('/')) below = {};
  }
  if (below.find("/..") != std::string_view::npos) below = {};
  std::vector<std::string> folders;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    while (below.ends_with('/')) below.remove_suffix(1);
    folders.push_back(std::string(mount.point) + std::string(below));
    if (below.empty()) break;
    below = below.substr(0, below.rfind('/'));
  }
  return folders;
}

std::vector<Hierarchy> find_hierarchies(const SysRoot& root, std::string_view controller) {
  const std::string mounts = root.read("/proc/self/mountinfo").value_or("");
  const std::string groups = root.read("/proc/self/cgroup").value_or("");
  std::vector<Hierarchy> found;
  for (const std::string_view line : split(mounts, '\n')) {
    const auto mount = parse_mount(line);
    if (!mount) continue;
    if (!mount->v2 && std::ranges::find(mount->options, controller) == mount->options.end()) continue;
    const auto path = own_path(groups, mount->v2, controller);
    if (path) found.push_back({mount->v2, folders_up(*mount, *path)});
  }
  return found;
}

// v2: "max 100000" or "50000 100000", microseconds of CPU time in each period. v1: the same in two files, -1 for none.
std::optional<double> read_quota(const SysRoot& root, const std::string& folder, bool v2) {
  std::optional<std::int64_t> quota;
  std::optional<std::int64_t> period;
  if (v2) {
    const std::string line = root.read_line(folder + "/cpu.max").value_or("");
    const auto words = split(line, ' ');
    if (words.size() != 2) return std::nullopt;
    quota = parse_int(words[0]);
    period = parse_int(words[1]);
  } else {
    quota = root.read_int(folder + "/cpu.cfs_quota_us");
    period = root.read_int(folder + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return std::max(0.01, static_cast<double>(*quota) / static_cast<double>(*period));
}

std::optional<std::uint64_t> read_bytes(const SysRoot& root, const std::string& file) {
  const auto value = root.read_int(file);
  // v1 writes "no limit" as a number near 2^63.
  if (!value || *value < 0 || *value >= (std::int64_t{1} << 60)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::uint64_t used_without_cache(const SysRoot& root, const std::string& folder, bool v2) {
  const auto used = read_bytes(root, folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  const std::string stat = root.read(folder + "/memory.stat").value_or("");
  const std::string prefix = v2 ? "" : "total_";
  const std::uint64_t cache =
      find_bytes(stat, prefix + "inactive_file").value_or(0) + find_bytes(stat, prefix + "active_file").value_or(0);
  return used.value_or(0) - std::min(used.value_or(0), cache);
}

void take_memory_limit(const SysRoot& root, const std::string& folder, bool v2, CgroupLimits& limits) {
  // memory.high does not kill, but a process above it crawls.
  const std::vector<const char*> names =
      v2 ? std::vector<const char*>{"/memory.max", "/memory.high"} : std::vector<const char*>{"/memory.limit_in_bytes"};
  for (const char* name : names) {
    const auto bytes = read_bytes(root, folder + name);
    if (!bytes || (limits.memory_bytes && *limits.memory_bytes <= *bytes)) continue;
    limits.memory_bytes = bytes;
    limits.memory_file = folder + name;
    limits.memory_used_bytes = used_without_cache(root, folder, v2);
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const SysRoot& root) {
  CgroupLimits limits;
  for (const Hierarchy& hierarchy : find_hierarchies(root, "cpu")) {
    for (const std::string& folder : hierarchy.folders) {
      const auto quota = read_quota(root, folder, hierarchy.v2);
      if (!quota || (limits.cpus && *limits.cpus <= *quota)) continue;
      limits.cpus = quota;
      limits.cpus_file = folder + (hierarchy.v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
    }
  }
  for (const Hierarchy& hierarchy : find_hierarchies(root, "memory")) {
    for (const std::string& folder : hierarchy.folders) take_memory_limit(root, folder, hierarchy.v2, limits);
  }
  return limits;
}

}  // namespace reckon::sys
