#pragma once
// How the units of one phase are shared among threads: most in fixed contiguous ranges, which keeps each thread's
// stream of weights long, the rest taken one by one by whoever is free. What is computed does not depend on who
// computes it.

#include <atomic>
#include <vector>

namespace reckon::model {

// One counter per phase of a step, so that no phase needs a reset while others still count.
class WorkCounters {
 public:
  explicit WorkCounters(std::size_t n) : counters_(n) {}
  void reset() {
    for (Counter& counter : counters_) counter.next.store(0, std::memory_order_relaxed);
  }
  std::atomic<int>& at(std::size_t i) { return counters_[i].next; }
  [[nodiscard]] std::size_t size() const { return counters_.size(); }

 private:
  struct alignas(128) Counter {
    std::atomic<int> next = 0;
  };
  std::vector<Counter> counters_;
};

// Calls fn(begin, end) for ranges that cover [0, n_units) once over all threads.
template <class Fn>
void share_units(std::atomic<int>& counter, int i_thread, int n_threads, int n_units, Fn fn) {
  const int n_fixed = n_threads == 1 ? n_units : n_units - n_units / 8;
  const int begin = static_cast<int>(static_cast<long>(n_fixed) * i_thread / n_threads);
  const int end = static_cast<int>(static_cast<long>(n_fixed) * (i_thread + 1) / n_threads);
  if (begin < end) fn(begin, end);
  for (int u = n_fixed + counter.fetch_add(1, std::memory_order_relaxed); u < n_units;
       u = n_fixed + counter.fetch_add(1, std::memory_order_relaxed)) {
    fn(u, u + 1);
  }
}

// Calls fn(unit) for every unit once over all threads, whoever is free first.
template <class Fn>
void take_units(std::atomic<int>& counter, int n_units, Fn fn) {
  for (int u = counter.fetch_add(1, std::memory_order_relaxed); u < n_units;
       u = counter.fetch_add(1, std::memory_order_relaxed)) {
    fn(u);
  }
}

}  // namespace reckon::model
