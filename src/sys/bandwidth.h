#pragma once
// What the machine gives at best right now: the ceiling that decoding is measured against.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "sys/thread_pool.h"

namespace reckon::sys {

struct MachineLimits {
  double read_gb_per_s = 0;       // all threads of the pool together, 1e9 bytes; best of the passes
  double barrier_ns = 0;          // of the pool, best of several batches
  std::uint64_t probe_bytes = 0;  // size of the memory that was read
  bool probe_is_small = false;    // it may have come from the last-level cache in part: time or memory was short
};

// Reads memory that no cache holds (at least 512 MB and 4 times the last-level cache, on huge pages) for about
// `budget_ms`. Memory goes back when it returns. Caller: the thread that may call pool.run(), while nothing else does.
// kOutOfMemory: not even 64 MiB are free.
Result<MachineLimits> measure_limits(ThreadPool& pool, int budget_ms = 300);

// GB/s of reading `memory` with all threads, best of the passes within `budget_ms` (at least three). For memory that
// is there already, such as the weights: no time goes into making pages.
double measure_read(ThreadPool& pool, std::span<const std::byte> memory, int budget_ms);

}  // namespace reckon::sys
