#pragma once
// Tests only: the /proc and /sys of a machine that we do not have, in a folder that goes when the object does.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sys/sys_root.h"

namespace reckon::sys {

class FixtureMachine {
 public:
  FixtureMachine() {
    std::string name = (std::filesystem::temp_directory_path() / "reckon-machine-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
  }
  ~FixtureMachine() { std::filesystem::remove_all(folder_); }
  FixtureMachine(const FixtureMachine&) = delete;
  FixtureMachine& operator=(const FixtureMachine&) = delete;

  [[nodiscard]] SysRoot root() const { return SysRoot(folder_); }

  void write(std::string_view path, std::string_view text) const {
    while (path.starts_with('/')) path.remove_prefix(1);
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  // The topology files of one CPU. `siblings` is the list of its core.
  void add_cpu(int id, std::string_view siblings, int package = 0) const {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(id);
    write(folder + "/topology/core_cpus_list", siblings);
    write(folder + "/topology/physical_package_id", std::to_string(package) + "\n");
  }

  // 48 KiB, 32 KiB, 1 MiB and, shared by `l3_cpus`, 32 MiB.
  void add_caches(int id, std::string_view siblings, std::string_view l3_cpus) const {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(id);
    add_cache(folder + "/cache/index0", 1, "Data", "48K", siblings);
    add_cache(folder + "/cache/index1", 1, "Instruction", "32K", siblings);
    add_cache(folder + "/cache/index2", 2, "Unified", "1024K", siblings);
    add_cache(folder + "/cache/index3", 3, "Unified", "32768K", l3_cpus);
  }

  void allow(std::string_view list) const {
    write("/proc/self/status", "Name:\treckon\nCpus_allowed:\tffff\nCpus_allowed_list:\t" + std::string(list) + "\n");
  }

  // 16 CPUs: 8 cores with two hardware threads each, CPU i and i + 8.
  void make_16_cpus_with_smt() const {
    write("/sys/devices/system/cpu/online", "0-15\n");
    allow("0-15");
    for (int i = 0; i < 16; ++i) {
      const int core = i % 8;
      add_cpu(i, std::to_string(core) + "," + std::to_string(core + 8) + "\n");
    }
  }

  // 6 fast cores with SMT (CPUs 0-11) and 8 efficient ones (12-19), as Intel numbers them.
  void make_hybrid_6p_8e() const {
    write("/sys/devices/system/cpu/online", "0-19\n");
    allow("0-19");
    for (int i = 0; i < 12; ++i) {
      add_cpu(i, std::to_string(i / 2 * 2) + "-" + std::to_string(i / 2 * 2 + 1) + "\n");
    }
    for (int i = 12; i < 20; ++i) add_cpu(i, std::to_string(i) + "\n");
    write("/sys/devices/cpu_core/cpus", "0-11\n");
    write("/sys/devices/cpu_atom/cpus", "12-19\n");
  }

  // 2 packages of 4 cores, each its own memory node; node 0 has the even CPUs.
  void make_2_nodes() const {
    write("/sys/devices/system/cpu/online", "0-7\n");
    allow("0-7");
    write("/sys/devices/system/node/online", "0-1\n");
    write("/sys/devices/system/node/node0/cpulist", "0,2,4,6\n");
    write("/sys/devices/system/node/node1/cpulist", "1,3,5,7\n");
    for (int i = 0; i < 8; ++i) add_cpu(i, std::to_string(i) + "\n", i % 2);
  }

  // A container on a machine with control groups v2, with the container's group as the visible top.
  void mount_cgroup_v2(std::string_view own_path) const {
    write("/proc/self/mountinfo",
          "21 1 0:20 / /proc rw - proc proc rw\n"
          "30 21 0:26 / /sys/fs/cgroup ro,nosuid shared:4 - cgroup2 cgroup rw,nsdelegate\n");
    write("/proc/self/cgroup", "0::" + std::string(own_path) + "\n");
  }

  // A container on a machine with control groups v1, without a namespace: paths are those of the host.
  void mount_cgroup_v1(std::string_view mount_root, std::string_view own_path) const {
    const std::string top(mount_root);
    const std::string own(own_path);
    write("/proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
          "32 31 0:29 " +
              top +
              " /sys/fs/cgroup/cpu,cpuacct ro master:11 - cgroup cgroup rw,cpu,cpuacct\n"
              "35 31 0:32 " +
              top + " /sys/fs/cgroup/memory ro master:12 - cgroup cgroup rw,memory\n");
    write("/proc/self/cgroup", "11:cpu,cpuacct:" + own + "\n4:memory:" + own + "\n1:name=systemd:/x\n0::/\n");
  }

 private:
  void add_cache(const std::string& folder, int level, std::string_view type, std::string_view size,
                 std::string_view cpus) const {
    write(folder + "/level", std::to_string(level) + "\n");
    write(folder + "/type", std::string(type) + "\n");
    write(folder + "/size", std::string(size) + "\n");
    write(folder + "/shared_cpu_list", std::string(cpus) + "\n");
  }

  std::filesystem::path folder_;
};

}  // namespace reckon::sys
