#include "sys/topology.h"

#include <sched.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <tuple>

namespace reckon::sys {
namespace {

bool contains(const std::vector<int>& sorted, int value) { return std::ranges::binary_search(sorted, value); }

std::vector<int> online_cpus(const SysRoot& root) {
  auto online = root.read_list("/sys/devices/system/cpu/online");
  if (online && !online->empty()) return *std::move(online);
  std::vector<int> all;
  const int n = root.is_this_machine() ? static_cast<int>(std::thread::hardware_concurrency()) : 1;
  for (int i = 0; i < std::max(1, n); ++i) all.push_back(i);
  return all;
}

// Empty where nothing tells: then all are allowed.
std::vector<int> allowed_cpus(const SysRoot& root) {
  std::vector<int> allowed;
  if (root.is_this_machine()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) allowed.push_back(cpu);
    }
    return allowed;
  }
  const auto status = root.read("/proc/self/status");
  if (!status) return allowed;
  const auto list = find_value(*status, "Cpus_allowed_list");
  if (list) allowed = parse_list(*list).value_or(std::vector<int>{});
  return allowed;
}

std::string cpu_folder(int id) { return "/sys/devices/system/cpu/cpu" + std::to_string(id); }

int first_of(const std::optional<std::vector<int>>& list, int otherwise) {
  return list && !list->empty() ? list->front() : otherwise;
}

// Intel names the E cores; elsewhere the scheduler's capacity tells: 1024 for the fastest core of the machine.
void mark_efficient_cores(const SysRoot& root, std::vector<Cpu>& cpus) {
  const auto atoms = root.read_list("/sys/devices/cpu_atom/cpus");
  if (atoms && !atoms->empty()) {
    for (Cpu& cpu : cpus) cpu.efficient = contains(*atoms, cpu.id);
    return;
  }
  std::vector<std::int64_t> capacities;
  for (const Cpu& cpu : cpus) capacities.push_back(root.read_int(cpu_folder(cpu.id) + "/cpu_capacity").value_or(0));
  const std::int64_t most = std::ranges::max(capacities);
  // Below 3/4 of the fastest a core holds the others back at every barrier by more than it adds.
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    cpus[i].efficient = capacities[i] > 0 && capacities[i] * 4 < most * 3;
  }
}

void read_caches(const SysRoot& root, Topology& topology) {
  constexpr int kMaxCaches = 8;
  std::set<int> l3_seen;
  for (Cpu& cpu : topology.cpus) {
    cpu.l3_domain = cpu.package;
    for (int i = 0; i < kMaxCaches; ++i) {
      const std::string folder = cpu_folder(cpu.id) + "/cache/index" + std::to_string(i);
      const auto level = root.read_int(folder + "/level");
      if (!level) break;
      if (root.read_line(folder + "/type") == "Instruction") continue;
      const std::uint64_t size = parse_cache_size(root.read_line(folder + "/size").value_or("")).value_or(0);
      // Of a hybrid CPU the larger caches are those of the fast cores.
      if (*level == 1) topology.l1d_bytes = std::max(topology.l1d_bytes, size);
      if (*level == 2) topology.l2_bytes = std::max(topology.l2_bytes, size);
      if (*level != 3) continue;
      topology.l3_bytes = std::max(topology.l3_bytes, size);
      cpu.l3_domain = first_of(root.read_list(folder + "/shared_cpu_list"), cpu.id);
      if (cpu.allowed && l3_seen.insert(cpu.l3_domain).second) topology.l3_total_bytes += size;
    }
  }
}

template <class Key>
int count_distinct(const std::vector<Cpu>& cpus, Key key, bool (*accept)(const Cpu&)) {
  std::set<int> seen;
  for (const Cpu& cpu : cpus) {
    if (cpu.allowed && accept(cpu)) seen.insert(cpu.*key);
  }
  return static_cast<int>(seen.size());
}

bool any(const Cpu& /*cpu*/) { return true; }

}  // namespace

Topology read_topology(const SysRoot& root) {
  Topology topology;
  const std::vector<int> allowed = allowed_cpus(root);
  const auto nodes = root.read_list("/sys/devices/system/node/online").value_or(std::vector<int>{});
  std::vector<std::vector<int>> cpus_of_node;
  for (const int node : nodes) {
    const std::string file = "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist";
    cpus_of_node.push_back(root.read_list(file).value_or(std::vector<int>{}));
  }
  for (const int id : online_cpus(root)) {
    Cpu cpu{.id = id};
    const std::string folder = cpu_folder(id) + "/topology";
    auto siblings = root.read_list(folder + "/core_cpus_list");
    if (!siblings) siblings = root.read_list(folder + "/thread_siblings_list");  // before Linux 5.3
    cpu.core = first_of(siblings, id);
    cpu.package = static_cast<int>(root.read_int(folder + "/physical_package_id").value_or(0));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (contains(cpus_of_node[i], id)) cpu.node = nodes[i];
    }
    cpu.allowed = allowed.empty() || contains(allowed, id);
    topology.cpus.push_back(cpu);
  }
  mark_efficient_cores(root, topology.cpus);
  read_caches(root, topology);
  return topology;
}

int Topology::n_allowed() const { return static_cast<int>(std::ranges::count_if(cpus, &Cpu::allowed)); }

int Topology::n_cores() const { return count_distinct(cpus, &Cpu::core, any); }

int Topology::n_efficient_cores() const {
  return count_distinct(cpus, &Cpu::core, [](const Cpu& cpu) { return cpu.efficient; });
}

int Topology::n_nodes() const { return count_distinct(cpus, &Cpu::node, any); }

bool Topology::has_smt() const {
  return std::ranges::any_of(cpus, [](const Cpu& cpu) { return cpu.core != cpu.id; });
}

std::vector<int> Topology::pin_order() const {
  struct Place {
    int rank_in_core;
    const Cpu* cpu;
  };
  std::vector<Place> places;
  for (const Cpu& cpu : cpus) {
    if (!cpu.allowed) continue;
    const auto earlier = std::ranges::count_if(places, [&](const Place& p) { return p.cpu->core == cpu.core; });
    places.push_back({static_cast<int>(earlier), &cpu});
  }
  std::ranges::sort(places, {}, [](const Place& p) {
    return std::tuple(p.rank_in_core, p.cpu->efficient, p.cpu->node, p.cpu->l3_domain, p.cpu->id);
  });
  std::vector<int> order;
  for (const Place& place : places) order.push_back(place.cpu->id);
  return order;
}

}  // namespace reckon::sys
