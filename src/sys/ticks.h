#pragma once
// The cheapest clock of the CPU (a few nanoseconds a reading) and its rate. Thread: any.

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <chrono>
#endif

namespace reckon::sys {

// Counts at a constant rate on every x86-64 CPU since about 2008, also across cores.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Tells the core that this is a spin loop: 40-140 cycles that leave the other hardware thread alone.
inline void spin_pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Measured once against the steady clock, in about 0.2 ms.
double ticks_per_second();

}  // namespace reckon::sys
