#include "sys/ticks.h"

#include <chrono>

namespace reckon::sys {
namespace {

using Clock = std::chrono::steady_clock;

// A reading of both clocks that no interrupt has torn apart: the narrowest of several tries.
struct Pair {
  std::uint64_t tick = 0;
  Clock::time_point time;
};

Pair read_pair() {
  Pair best;
  std::uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = ticks();
    const Clock::time_point time = Clock::now();
    const std::uint64_t width = ticks() - before;
    if (width < narrowest) {
      narrowest = width;
      best = {before + width / 2, time};
    }
  }
  return best;
}

double measure() {
  const Pair begin = read_pair();
  while (Clock::now() - begin.time < std::chrono::microseconds(200)) spin_pause();
  const Pair end = read_pair();
  return static_cast<double>(end.tick - begin.tick) / std::chrono::duration<double>(end.time - begin.time).count();
}

}  // namespace

double ticks_per_second() {
  static const double rate = measure();
  return rate;
}

}  // namespace reckon::sys
