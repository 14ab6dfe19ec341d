#include "sys/bandwidth.h"

#include <gtest/gtest.h>

#include <vector>

namespace reckon::sys {
namespace {

TEST(MachineLimits, AreInTheRangeOfRealMachines) {
  const auto pool = ThreadPool::create({.n_threads = 2});
  ASSERT_TRUE(pool.has_value());
  const auto limits = measure_limits(**pool, 60);
  ASSERT_TRUE(limits.has_value()) << limits.error().message;
  EXPECT_GT(limits->read_gb_per_s, 0.2);
  EXPECT_LT(limits->read_gb_per_s, 5000);
  EXPECT_GT(limits->barrier_ns, 1);
  EXPECT_GT(limits->probe_bytes, 0U);
}

TEST(MachineLimits, WorkWithOneThreadAndAlmostNoTime) {
  const auto pool = ThreadPool::create({.n_threads = 1});
  ASSERT_TRUE(pool.has_value());
  const auto limits = measure_limits(**pool, 1);
  ASSERT_TRUE(limits.has_value()) << limits.error().message;
  EXPECT_GT(limits->read_gb_per_s, 0.2);
}

TEST(MeasureRead, TakesAnyMemoryThatHoldsALineForEachThread) {
  const auto pool = ThreadPool::create({.n_threads = 2});
  ASSERT_TRUE(pool.has_value());
  const std::vector<std::byte> memory(std::size_t{64} << 10);
  EXPECT_GT(measure_read(**pool, memory, 1), 0.2);
  EXPECT_EQ(measure_read(**pool, std::span(memory).first(100), 1), 0);
}

}  // namespace
}  // namespace reckon::sys
