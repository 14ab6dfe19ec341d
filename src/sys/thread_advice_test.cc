#include "sys/thread_advice.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "sys/fixture_machine.h"

namespace reckon::sys {
namespace {

ThreadAdvice advice_of(const FixtureMachine& machine, const std::optional<ThreadWish>& wish = std::nullopt) {
  return recommend_threads(read_topology(machine.root()), read_cgroup_limits(machine.root()), wish);
}

TEST(ThreadAdvice, TakesOneThreadForEachPhysicalCore) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  const ThreadAdvice advice = advice_of(machine);
  EXPECT_EQ(advice.n_threads, 8);
  EXPECT_EQ(advice.why, "8 threads: one for each physical core (CPUs of one core share its units)");
}

TEST(ThreadAdvice, KeepsToAContainersQuota) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v2("/");
  machine.write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  const ThreadAdvice advice = advice_of(machine);
  EXPECT_EQ(advice.n_threads, 2);
  EXPECT_EQ(advice.why, "2 threads: the control group allows 2 CPUs (/sys/fs/cgroup/cpu.max), of 8 cores");
}

TEST(ThreadAdvice, RoundsAFractionalQuotaDownButNotToZero) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v2("/");
  machine.write("/sys/fs/cgroup/cpu.max", "765000 100000\n");
  EXPECT_EQ(advice_of(machine).n_threads, 7);
  EXPECT_NE(advice_of(machine).why.find("7.65 CPUs"), std::string::npos);
  machine.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(advice_of(machine).n_threads, 1);
}

TEST(ThreadAdvice, TakesTheLeastQuotaOfNestedGroups) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v2("/user.slice/app.slice/reckon.service");
  machine.write("/sys/fs/cgroup/user.slice/app.slice/reckon.service/cpu.max", "max 100000\n");
  machine.write("/sys/fs/cgroup/user.slice/app.slice/cpu.max", "300000 100000\n");
  machine.write("/sys/fs/cgroup/user.slice/cpu.max", "500000 100000\n");
  const CgroupLimits limits = read_cgroup_limits(machine.root());
  ASSERT_TRUE(limits.cpus.has_value());
  EXPECT_DOUBLE_EQ(*limits.cpus, 3);
  EXPECT_EQ(limits.cpus_file, "/sys/fs/cgroup/user.slice/app.slice/cpu.max");
  EXPECT_EQ(advice_of(machine).n_threads, 3);
}

TEST(ThreadAdvice, FindsTheQuotaOfAContainerWithVersion1) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v1("/docker/ab12", "/docker/ab12");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  const ThreadAdvice advice = advice_of(machine);
  EXPECT_EQ(advice.n_threads, 1);
  EXPECT_EQ(advice.why,
            "1 thread: the control group allows 1.5 CPUs (/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us), of 8 cores");
}

TEST(ThreadAdvice, ReadsVersion1MinusOneAsNoLimit) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v1("/", "/docker/ab12");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/docker/ab12/cpu.cfs_quota_us", "-1\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/docker/ab12/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup_limits(machine.root()).cpus, std::nullopt);
  EXPECT_EQ(advice_of(machine).n_threads, 8);
}

TEST(ThreadAdvice, LooksAtTheVisibleTopWherePathsLeaveTheNamespace) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v2("/../../other");
  machine.write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(advice_of(machine).n_threads, 4);
}

TEST(ThreadAdvice, IgnoresAQuotaThatIsNonsense) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.mount_cgroup_v2("/");
  for (const char* text : {"", "max", "0 0\n", "-5 100000\n", "x y\n", "1 2 3\n"}) {
    machine.write("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(read_cgroup_limits(machine.root()).cpus, std::nullopt) << text;
  }
}

TEST(ThreadAdvice, KeepsToTheCpuset) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  machine.allow("0-1");
  const ThreadAdvice advice = advice_of(machine);
  EXPECT_EQ(advice.n_threads, 2);
  EXPECT_NE(advice.why.find("affinity of the process allows 2 of 16 CPUs"), std::string::npos);
}

TEST(ThreadAdvice, LeavesEfficientCoresOut) {
  const FixtureMachine machine;
  machine.make_hybrid_6p_8e();
  const ThreadAdvice advice = advice_of(machine);
  EXPECT_EQ(advice.n_threads, 6);
  EXPECT_EQ(advice.why, "6 threads: one for each fast core; the 8 efficient cores would hold them back");
}

TEST(ThreadAdvice, TakesEfficientCoresWhereOnlyThoseAreAllowed) {
  const FixtureMachine machine;
  machine.make_hybrid_6p_8e();
  machine.allow("12-15");
  EXPECT_EQ(advice_of(machine).n_threads, 4);
}

TEST(ThreadAdvice, UsesBothMemoryNodes) {
  const FixtureMachine machine;
  machine.make_2_nodes();
  EXPECT_EQ(advice_of(machine).n_threads, 8);
}

TEST(ThreadAdvice, HonoursAWishForFewerThreadsOnly) {
  const FixtureMachine machine;
  machine.make_16_cpus_with_smt();
  ThreadAdvice advice = advice_of(machine, ThreadWish{"OMP_NUM_THREADS", 3});
  EXPECT_EQ(advice.n_threads, 3);
  EXPECT_EQ(advice.why, "3 threads: OMP_NUM_THREADS is set, of 8 cores");
  advice = advice_of(machine, ThreadWish{"OMP_NUM_THREADS", 16});
  EXPECT_EQ(advice.n_threads, 8);
  EXPECT_NE(advice.why.find("OMP_NUM_THREADS=16 asks for more"), std::string::npos);
}

// Sets a variable and takes it back at the end of the test.
class EnvironmentOfThreads : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    unsetenv("OMP_NUM_THREADS");
    unsetenv("MKL_NUM_THREADS");
  }
};

TEST_F(EnvironmentOfThreads, IsReadWithItsVariable) {
  EXPECT_FALSE(thread_wish_of_environment().has_value());
  setenv("MKL_NUM_THREADS", "5", 1);
  EXPECT_EQ(thread_wish_of_environment()->variable, "MKL_NUM_THREADS");
  setenv("OMP_NUM_THREADS", "4,2", 1);
  EXPECT_EQ(thread_wish_of_environment()->n_threads, 4);
}

TEST_F(EnvironmentOfThreads, NonsenseIsNoWish) {
  for (const char* text : {"", "0", "-2", "many", "99999"}) {
    setenv("OMP_NUM_THREADS", text, 1);
    EXPECT_FALSE(thread_wish_of_environment().has_value()) << text;
  }
}

}  // namespace
}  // namespace reckon::sys
