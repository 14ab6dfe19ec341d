#include "sys/memory.h"

#include <gtest/gtest.h>

#include "base/arena.h"
#include "sys/fixture_machine.h"

namespace reckon::sys {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kGiB = kKiB * kKiB * kKiB;

constexpr std::string_view kMeminfo =
    "MemTotal:       16777216 kB\nMemFree:          100000 kB\nMemAvailable:    8388608 kB\nSwapTotal:  0 kB\n";

TEST(MachineMemory, IsWhatTheKernelCallsAvailable) {
  const FixtureMachine machine;
  machine.write("/proc/meminfo", kMeminfo);
  const MachineMemory memory = read_machine_memory(machine.root());
  EXPECT_EQ(memory.total_bytes, 16 * kGiB);
  EXPECT_EQ(memory.available_bytes, 8 * kGiB);
  EXPECT_EQ(memory.limit_file, "");
}

TEST(MachineMemory, IsLimitedByTheGroupLessWhatItCannotDrop) {
  const FixtureMachine machine;
  machine.write("/proc/meminfo", kMeminfo);
  machine.mount_cgroup_v2("/app");
  machine.write("/sys/fs/cgroup/app/memory.max", std::to_string(4 * kGiB));
  machine.write("/sys/fs/cgroup/app/memory.current", std::to_string(3 * kGiB));
  machine.write("/sys/fs/cgroup/app/memory.stat",
                "anon 1073741824\nactive_file " + std::to_string(kGiB) + "\ninactive_file " + std::to_string(kGiB));
  const MachineMemory memory = read_machine_memory(machine.root());
  EXPECT_EQ(memory.total_bytes, 4 * kGiB);
  EXPECT_EQ(memory.available_bytes, 3 * kGiB);
  EXPECT_EQ(memory.limit_file, "/sys/fs/cgroup/app/memory.max");
}

TEST(MachineMemory, TakesTheParentsLimitWhereItIsLess) {
  const FixtureMachine machine;
  machine.write("/proc/meminfo", kMeminfo);
  machine.mount_cgroup_v2("/pod/app");
  machine.write("/sys/fs/cgroup/pod/app/memory.max", std::to_string(6 * kGiB));
  machine.write("/sys/fs/cgroup/pod/memory.max", "max\n");
  machine.write("/sys/fs/cgroup/pod/memory.high", std::to_string(2 * kGiB));
  machine.write("/sys/fs/cgroup/pod/memory.current", std::to_string(5 * kGiB));
  const MachineMemory memory = read_machine_memory(machine.root());
  EXPECT_EQ(memory.total_bytes, 2 * kGiB);
  EXPECT_EQ(memory.available_bytes, 0U);
}

TEST(MachineMemory, ReadsVersion1AndItsWordForNoLimit) {
  const FixtureMachine machine;
  machine.write("/proc/meminfo", kMeminfo);
  machine.mount_cgroup_v1("/docker/x", "/docker/x");
  machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(read_machine_memory(machine.root()).total_bytes, 16 * kGiB);
  machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(kGiB));
  machine.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(kGiB / 2));
  EXPECT_EQ(read_machine_memory(machine.root()).total_bytes, kGiB);
  EXPECT_EQ(read_machine_memory(machine.root()).available_bytes, kGiB / 2);
}

TEST(ProcessMemory, ReadsCountersAlsoOfAProgramWithAnOddName) {
  const FixtureMachine machine;
  machine.write("/proc/self/status",
                "Name:\tx\nVmHWM:\t  2000 kB\nVmRSS:\t  1500 kB\nRssAnon:\t  900 kB\nVmSwap:\t  40 kB\n");
  machine.write("/proc/self/stat", "42 (a) b (c) R 1 42 42 0 -1 4194304 111 222 333 444 5 6 7 8 20 0\n");
  const ProcessMemory memory = read_process_memory(machine.root());
  EXPECT_EQ(memory.resident_bytes, 1500 * kKiB);
  EXPECT_EQ(memory.peak_resident_bytes, 2000 * kKiB);
  EXPECT_EQ(memory.anonymous_bytes, 900 * kKiB);
  EXPECT_EQ(memory.swapped_bytes, 40 * kKiB);
  EXPECT_EQ(memory.major_faults, 333U);
}

TEST(ProcessMemory, OfThisProcessGrowsWithWhatItTouches) {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const std::uint64_t before = read_process_memory().resident_bytes;
  ASSERT_GT(before, 0U);
  const auto arena = Arena::create(kSize);
  ASSERT_TRUE(arena.has_value());
  volatile std::byte* data = arena->data();
  for (std::size_t i = 0; i < kSize; i += 4096) data[i] = std::byte{1};
  EXPECT_GE(read_process_memory().resident_bytes, before + kSize * 15 / 16);
}

TEST(MachineMemory, OfThisMachineMakesSense) {
  const MachineMemory memory = read_machine_memory();
  EXPECT_GT(memory.total_bytes, 0U);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

}  // namespace
}  // namespace reckon::sys
