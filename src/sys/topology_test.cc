#include "sys/topology.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sys/fixture_machine.h"

namespace reckon::sys {
namespace {

using Ints = std::vector<int>;

TEST(Topology, CountsSmtSiblingsAsOneCore) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.cpus.size(), 16U);
  EXPECT_EQ(t.n_cores(), 8);
  EXPECT_EQ(t.n_efficient_cores(), 0);
  EXPECT_TRUE(t.has_smt());
  EXPECT_EQ(t.pin_order(), (Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Topology, SumsTheCachesThatAllowedCpusReach) {
  const FixtureMachine machine;
  machine.write("/sys/devices/system/cpu/online", "0-3\n");
  for (int i = 0; i < 4; ++i) machine.add_caches(i, std::to_string(i), i < 2 ? "0-1" : "2-3");
  Topology t = read_topology(machine.root());
  EXPECT_EQ(t.l1d_bytes, 48U << 10);
  EXPECT_EQ(t.l2_bytes, 1U << 20);
  EXPECT_EQ(t.l3_bytes, 32U << 20);
  EXPECT_EQ(t.l3_total_bytes, 64U << 20);
  EXPECT_EQ(t.cpus[3].l3_domain, 2);
  machine.allow("0-1");
  t = read_topology(machine.root());
  EXPECT_EQ(t.l3_total_bytes, 32U << 20);
}

TEST(Topology, KeepsToTheAffinityOfTheProcess) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.allow("0,2,8");
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.n_allowed(), 3);
  EXPECT_EQ(t.n_cores(), 2);
  EXPECT_EQ(t.pin_order(), (Ints{0, 2, 8}));  // the sibling of core 0 comes last
}

TEST(Topology, TellsFastFromEfficientCores) {
  const FixtureMachine machine;
  machine.make_hybrid_6p_8e();
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.n_cores(), 14);
  EXPECT_EQ(t.n_efficient_cores(), 8);
  const Ints order = t.pin_order();
  ASSERT_EQ(order.size(), 20U);
  EXPECT_EQ(Ints(order.begin(), order.begin() + 6), (Ints{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Ints(order.begin() + 6, order.begin() + 8), (Ints{12, 13}));
  EXPECT_EQ(order.back(), 11);
}

TEST(Topology, TakesLittleCoresFromTheCapacityOfTheScheduler) {
  const FixtureMachine machine;
  machine.write("/sys/devices/system/cpu/online", "0-3\n");
  for (int i = 0; i < 4; ++i) {
    machine.add_cpu(i, std::to_string(i));
    machine.write("/sys/devices/system/cpu/cpu" + std::to_string(i) + "/cpu_capacity", i < 2 ? "430\n" : "1024\n");
  }
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.n_efficient_cores(), 2);
  EXPECT_EQ(t.pin_order(), (Ints{2, 3, 0, 1}));
}

TEST(Topology, KeepsThreadsOfOneNodeTogether) {
  const FixtureMachine machine;
  machine.make_2_nodes();
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.n_nodes(), 2);
  EXPECT_EQ(t.n_cores(), 8);
  EXPECT_EQ(t.pin_order(), (Ints{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(t.cpus[3].node, 1);
  EXPECT_EQ(t.cpus[3].package, 1);
}

TEST(Topology, LeavesOutCpusThatAreOffline) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.write("/sys/devices/system/cpu/online", "0-3\n");
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.cpus.size(), 4U);
  EXPECT_FALSE(t.has_smt());
}

TEST(Topology, HasOneCpuWhereNothingCanBeRead) {
  const FixtureMachine machine;
  const Topology t = read_topology(machine.root());
  EXPECT_EQ(t.cpus.size(), 1U);
  EXPECT_EQ(t.n_cores(), 1);
  EXPECT_EQ(t.pin_order(), Ints{0});
}

TEST(Topology, OfThisMachineMakesSense) {
  const Topology t = read_topology();
  EXPECT_GE(t.n_cores(), 1);
  EXPECT_LE(t.n_cores(), t.n_allowed());
  EXPECT_LE(t.n_allowed(), static_cast<int>(t.cpus.size()));
  Ints order = t.pin_order();
  std::ranges::sort(order);
  EXPECT_EQ(static_cast<int>(order.size()), t.n_allowed());
  EXPECT_EQ(std::ranges::unique(order).begin(), order.end());
}

}  // namespace
}  // namespace reckon::sys
