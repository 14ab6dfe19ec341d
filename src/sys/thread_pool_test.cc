#include "sys/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace reckon::sys {
namespace {

std::unique_ptr<ThreadPool> pool_of(int n_threads, int spin_us = 50) {
  auto pool = ThreadPool::create({.n_threads = n_threads, .spin_us = spin_us});
  EXPECT_TRUE(pool.has_value());
  return *std::move(pool);
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Read through volatile, so that the compiler does not compute the product itself.
float half_of(float x) {
  volatile float value = x;
  volatile float half = 0.5F;
  return value * half;
}

class ThreadPoolOfSize : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolOfSize, RunCallsEveryThreadOnce) {
  const int n = GetParam();
  const auto pool = pool_of(n);
  ASSERT_EQ(pool->size(), n);
  std::vector<int> calls(index(n), 0);
  auto task = [&](int i_thread) { ++calls[index(i_thread)]; };
  for (int round = 1; round <= 200; ++round) {
    pool->run(task);
    ASSERT_EQ(std::ranges::count(calls, round), n);
  }
}

// Each thread writes its own cell, meets the others, and reads all cells: without the barrier sums differ.
TEST_P(ThreadPoolOfSize, BarrierPublishesWhatCameBeforeIt) {
  const int n = GetParam();
  const int rounds = n <= 2 ? 20'000 : 500;
  const auto pool = pool_of(n);
  std::vector<std::int64_t> cells(index(n), 0);
  std::atomic<int> wrong{0};
  auto task = [&](int i_thread) {
    for (int round = 1; round <= rounds; ++round) {
      cells[index(i_thread)] = round + i_thread;
      pool->barrier(i_thread);
      const auto sum = std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
      if (sum != std::int64_t{round} * n + n * (n - 1) / 2) wrong.fetch_add(1);
      pool->barrier(i_thread);
    }
  };
  pool->run(task);
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(ThreadPoolOfSize, SleepingThreadsWakeWithoutSpinning) {
  const int n = GetParam();
  const auto pool = pool_of(n, 0);
  std::vector<int> calls(index(n), 0);
  auto task = [&](int i_thread) {
    ++calls[index(i_thread)];
    pool->barrier(i_thread);
  };
  for (int round = 0; round < 300; ++round) pool->run(task);
  EXPECT_EQ(std::ranges::count(calls, 300), n);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolOfSize, testing::Values(1, 2, 3, 4, 5, 8));

TEST(ThreadPool, RefusesSizesThatMakeNoSense) {
  for (const int n_threads : {0, -1, 257}) {
    const auto pool = ThreadPool::create({.n_threads = n_threads});
    ASSERT_FALSE(pool.has_value());
    EXPECT_EQ(pool.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(pool.error().message.find(std::to_string(n_threads)), std::string::npos);
  }
}

TEST(ThreadPool, FlushesDenormalsDuringRunAndRestoresTheCaller) {
  const float denormal = std::numeric_limits<float>::denorm_min() * 1024;
  const auto pool = pool_of(2);
  std::vector<float> halves(2, -1);
  ASSERT_NE(half_of(denormal), 0);
  auto task = [&](int i_thread) { halves[index(i_thread)] = half_of(denormal); };
  pool->run(task);
  EXPECT_EQ(halves, (std::vector<float>{0, 0}));
  EXPECT_NE(half_of(denormal), 0);
}

TEST(ThreadPool, CountsTheWaitOfTheThreadThatCameFirst) {
  const auto pool = pool_of(2);
  auto task = [&](int i_thread) {
    if (i_thread == 1) {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20)) {
      }
    }
    pool->barrier(i_thread);
  };
  EXPECT_EQ(pool->barrier_wait_seconds(0), 0);
  pool->run(task);
  EXPECT_GT(pool->barrier_wait_seconds(0), 0.010);
  EXPECT_LT(pool->barrier_wait_seconds(1), pool->barrier_wait_seconds(0));
}

TEST(ThreadPool, WorkersBlockSignals) {
  const auto pool = pool_of(2);
  std::vector<int> blocked(2, -1);
  auto task = [&](int i_thread) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked[index(i_thread)] = sigismember(&mask, SIGINT);
  };
  pool->run(task);
  EXPECT_EQ(blocked, (std::vector<int>{0, 1}));
}

TEST(ThreadPool, DiesWithoutEverRunning) {
  for (int i = 0; i < 50; ++i) pool_of(4);
}

TEST(ThreadPool, CanBeUsedFromDifferentThreadsInTurn) {
  const auto pool = pool_of(3);
  std::atomic<int> n_calls{0};
  auto task = [&](int i_thread) {
    n_calls.fetch_add(1);
    pool->barrier(i_thread);
  };
  for (int i = 0; i < 20; ++i) {
    std::thread caller([&] { pool->run(task); });
    caller.join();
  }
  EXPECT_EQ(n_calls.load(), 60);
}

}  // namespace
}  // namespace reckon::sys
