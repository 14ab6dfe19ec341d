#include "sys/bandwidth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/arena.h"
#include "sys/memory.h"
#include "sys/ticks.h"
#include "sys/topology.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace reckon::sys {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLine = 64;
constexpr std::size_t kPrefetchAhead = 8192;  // measured best on two machines, 4096 and 16384 are 2-8 % slower
constexpr std::size_t kTouchStep = 4 * kMiB;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Loads every byte of [data, data + size), size a multiple of 128; the result only keeps the loads alive.
std::uint64_t read_all(const std::byte* data, std::size_t size) {
#if defined(__x86_64__)
  __m128i a = _mm_setzero_si128();
  __m128i b = a, c = a, d = a;
  for (std::size_t i = 0; i < size; i += 2 * kLine) {
    const std::byte* p = data + i;
    // Past the end this asks for memory that may not be mapped, which prefetches ignore.
    _mm_prefetch(reinterpret_cast<const char*>(p + kPrefetchAhead), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(p + kPrefetchAhead + kLine), _MM_HINT_T0);
    const auto* v = reinterpret_cast<const __m128i*>(p);
    a = _mm_xor_si128(_mm_xor_si128(a, _mm_loadu_si128(v)), _mm_loadu_si128(v + 4));
    b = _mm_xor_si128(_mm_xor_si128(b, _mm_loadu_si128(v + 1)), _mm_loadu_si128(v + 5));
    c = _mm_xor_si128(_mm_xor_si128(c, _mm_loadu_si128(v + 2)), _mm_loadu_si128(v + 6));
    d = _mm_xor_si128(_mm_xor_si128(d, _mm_loadu_si128(v + 3)), _mm_loadu_si128(v + 7));
  }
  const __m128i all = _mm_xor_si128(_mm_xor_si128(a, b), _mm_xor_si128(c, d));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(all));
#else
  std::uint64_t a = 0;
  for (std::size_t i = 0; i < size; i += sizeof a) {
    std::uint64_t word;
    std::memcpy(&word, data + i, sizeof word);
    a ^= word;
  }
  return a;
#endif
}

struct Range {
  std::size_t begin;
  std::size_t end;
};

Range share_of(std::size_t size, int i_thread, int n_threads) {
  const auto i = static_cast<std::size_t>(i_thread);
  const auto n = static_cast<std::size_t>(n_threads);
  const std::size_t unit = size / n / (2 * kLine) * (2 * kLine);
  return {i * unit, (i + 1) * unit};
}

struct alignas(128) Slot {
  std::uint64_t sink = 0;
  std::size_t n_touched = 0;
};

// Each thread writes its share once, so that the pages exist and lie near it, until `seconds` are over (at least a
// step). Returns how much of every share exists now, rounded down to the least over the threads.
std::size_t touch(ThreadPool& pool, std::byte* data, std::size_t size, double seconds) {
  std::vector<Slot> slots(static_cast<std::size_t>(pool.size()));
  const Clock::time_point begin = Clock::now();
  auto task = [&](int i_thread) {
    const Range share = share_of(size, i_thread, pool.size());
    std::size_t at = share.begin;
    do {
      const std::size_t step = std::min(kTouchStep, share.end - at);
      std::memset(data + at, 1, step);
      at += step;
    } while (at < share.end && seconds_since(begin) < seconds);
    slots[static_cast<std::size_t>(i_thread)].n_touched = at - share.begin;
  };
  pool.run(task);
  return std::ranges::min(slots, {}, &Slot::n_touched).n_touched / (2 * kLine) * (2 * kLine);
}

// Reads the first `n_each` bytes of every share, over and over. Bytes per second of the best pass.
double best_read_rate(ThreadPool& pool, std::span<const std::byte> memory, std::size_t n_each, double seconds) {
  std::vector<Slot> slots(static_cast<std::size_t>(pool.size()));
  double best = 0;
  const Clock::time_point begin = Clock::now();
  constexpr int kLeastPasses = 3;
  for (int pass = 0; pass < kLeastPasses || seconds_since(begin) < seconds; ++pass) {
    double pass_seconds = 0;
    auto task = [&](int i_thread) {
      const std::byte* mine = memory.data() + share_of(memory.size(), i_thread, pool.size()).begin;
      pool.barrier(i_thread);
      const Clock::time_point start = Clock::now();
      slots[static_cast<std::size_t>(i_thread)].sink ^= read_all(mine, n_each);
      pool.barrier(i_thread);
      if (i_thread == 0) pass_seconds = seconds_since(start);
    };
    pool.run(task);
    best = std::max(best, static_cast<double>(n_each) * pool.size() / pass_seconds);
  }
  // The sums must look used, or the compiler drops the loads.
  volatile std::uint64_t sink = slots.front().sink;
  static_cast<void>(sink);
  return best;
}

double best_barrier_seconds(ThreadPool& pool) {
  constexpr int kBatches = 20;
  constexpr int kBarriers = 200;
  std::array<std::uint64_t, kBatches> batch_ticks{};
  auto task = [&](int i_thread) {
    for (std::uint64_t& cost : batch_ticks) {
      pool.barrier(i_thread);
      const std::uint64_t begin = ticks();
      for (int i = 0; i < kBarriers; ++i) pool.barrier(i_thread);
      if (i_thread == 0) cost = ticks() - begin;
    }
  };
  pool.run(task);
  return static_cast<double>(std::ranges::min(batch_ticks)) / ticks_per_second() / kBarriers;
}

}  // namespace

Result<MachineLimits> measure_limits(ThreadPool& pool, int budget_ms) {
  const double budget = std::max(1, budget_ms) * 1e-3;
  const std::uint64_t cache = read_topology().l3_total_bytes;
  const std::uint64_t wanted = std::max<std::uint64_t>(512 * kMiB, 4 * cache);
  // Half of what is free: the probe must push nobody into swap.
  const std::uint64_t size = std::min(wanted, read_machine_memory().available_bytes / 2) / kMiB * kMiB;
  if (size < 64 * kMiB) {
    return fail(ErrorCode::kOutOfMemory, "measuring the memory needs 128 MiB that are free; close other programs");
  }
  MachineLimits limits;
  limits.barrier_ns = best_barrier_seconds(pool) * 1e9;
  RECKON_TRY(const Arena arena, Arena::create(size));
  const std::size_t n_each = touch(pool, arena.data(), size, budget * 0.5);
  limits.probe_bytes = n_each * static_cast<std::size_t>(pool.size());
  limits.probe_is_small = limits.probe_bytes < std::min<std::uint64_t>(wanted, 2 * cache);
  limits.read_gb_per_s = best_read_rate(pool, {arena.data(), size}, n_each, budget * 0.5) * 1e-9;
  return limits;
}

double measure_read(ThreadPool& pool, std::span<const std::byte> memory, int budget_ms) {
  const Range share = share_of(memory.size(), 0, pool.size());
  if (share.end == 0) return 0;
  return best_read_rate(pool, memory, share.end, budget_ms * 1e-3) * 1e-9;
}

}  // namespace reckon::sys
