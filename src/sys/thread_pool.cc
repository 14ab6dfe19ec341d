#include "sys/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"
#include "sys/ticks.h"
#include "sys/topology.h"

namespace reckon::sys {
namespace {

// Two cache lines, because the prefetcher of Intel and AMD cores fetches lines in pairs.
constexpr std::size_t kNoSharing = 128;
constexpr int kMaxThreads = 256;

// A word that many threads wait on and one thread changes.
struct alignas(kNoSharing) Gate {
  std::atomic<std::uint32_t> value{0};
  std::atomic<std::uint32_t> sleepers{0};  // who changes the value makes the system call only if somebody sleeps

  void set(std::uint32_t new_value) {
    // Sequentially consistent with wait_change(): either the sleeper is seen here, or the sleeper sees the new value.
    value.store(new_value, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) value.notify_all();
  }

  // Returns the first value seen that is not `old`.
  std::uint32_t wait_change(std::uint32_t old, std::uint64_t spin_ticks) {
    if (spin_ticks > 0) {
      const std::uint64_t begin = ticks();
      do {
        for (int i = 0; i < 16; ++i) {
          const std::uint32_t now = value.load(std::memory_order_acquire);
          if (now != old) return now;
          spin_pause();
        }
      } while (ticks() - begin < spin_ticks);
    }
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    value.wait(old, std::memory_order_seq_cst);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
    return value.load(std::memory_order_acquire);
  }
};

struct alignas(kNoSharing) Counter {
  std::atomic<std::uint32_t> value{0};
};

// Read by barrier_wait_seconds() from any thread, written by its own thread only.
struct alignas(kNoSharing) ThreadSlot {
  std::atomic<std::uint64_t> wait_ticks{0};
};

// Denormals cost 100 cycles an operation and never matter to a model's output.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(saved_); }

 private:
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned saved_;
#else
  FlushDenormals() {}
  ~FlushDenormals() {}
#endif
 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

// Without the right to pin (some containers) the thread simply stays free.
void pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Keeps the caller of run() off the CPUs of the workers: sharing one, both would spin for the other in turn.
class PinCaller {
 public:
  explicit PinCaller(int cpu) : pinned_(cpu >= 0 && sched_getaffinity(0, sizeof saved_, &saved_) == 0) {
    if (pinned_) pin_this_thread(cpu);
  }
  ~PinCaller() {
    if (pinned_) sched_setaffinity(0, sizeof saved_, &saved_);
  }
  PinCaller(const PinCaller&) = delete;
  PinCaller& operator=(const PinCaller&) = delete;

 private:
  cpu_set_t saved_;
  bool pinned_;
};

// Signals are for the program's own threads: a new thread starts with all of them blocked.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t saved_;
};

}  // namespace

struct ThreadPool::State {
  std::uint32_t n = 1;
  std::uint64_t spin_ticks = 0;
  int caller_cpu = -1;  // -1: the caller is not pinned

  // Written by run() before `start` changes, read by the workers after.
  void (*call)(void*, int) = nullptr;
  void* object = nullptr;
  bool stopping = false;

  Gate start;          // number of the current run
  Counter n_finished;  // workers that are done with it
  Gate finished;       // number of the last run that all workers are done with
  Counter n_arrived;   // at the barrier
  Gate epoch;          // barriers passed
  std::array<ThreadSlot, kMaxThreads> slots;
  std::vector<std::thread> workers;

  void work(int i_thread) {
    const FlushDenormals flush;
    for (std::uint32_t seen = 0;;) {
      seen = start.wait_change(seen, spin_ticks);
      if (stopping) return;
      call(object, i_thread);
      if (n_finished.value.fetch_add(1, std::memory_order_acq_rel) + 2 == n) {
        n_finished.value.store(0, std::memory_order_relaxed);
        finished.set(seen);
      }
    }
  }
};

ThreadPool::ThreadPool() : state_(std::make_unique<State>()) {}

ThreadPool::~ThreadPool() {
  state_->stopping = true;
  state_->start.set(state_->start.value.load(std::memory_order_relaxed) + 1);
  for (std::thread& worker : state_->workers) worker.join();
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(const Options& options) {
  if (options.n_threads < 1 || options.n_threads > kMaxThreads) {
    return fail(ErrorCode::kInvalidInput,
                "threads: want 1.." + std::to_string(kMaxThreads) + ", got " + std::to_string(options.n_threads));
  }
  if (options.spin_us < 0 || options.spin_us > 1'000'000) {
    return fail(ErrorCode::kInvalidInput, "spin time: want 0..1000000 us, got " + std::to_string(options.spin_us));
  }
  const std::vector<int> cpus = read_topology().pin_order();
  const auto n = static_cast<std::size_t>(options.n_threads);
  // With more threads than CPUs a spinning thread only keeps the one it waits for from running, and pins would clash.
  const bool fits = n <= cpus.size();

  std::unique_ptr<ThreadPool> pool(new ThreadPool);
  State& state = *pool->state_;
  state.n = static_cast<std::uint32_t>(n);
  if (fits && n > 1) state.spin_ticks = static_cast<std::uint64_t>(options.spin_us * ticks_per_second() * 1e-6);
  if (options.pin && fits && n > 1) state.caller_cpu = cpus[0];
  try {
    const BlockSignals block;
    state.workers.reserve(n - 1);
    for (std::size_t i = 1; i < n; ++i) {
      const int cpu = options.pin && fits ? cpus[i] : -1;
      state.workers.emplace_back([&state, i, cpu] {
        pthread_setname_np(pthread_self(), ("reckon-" + std::to_string(i)).c_str());
        if (cpu >= 0) pin_this_thread(cpu);
        state.work(static_cast<int>(i));
      });
    }
  } catch (const std::system_error&) {
    return fail(ErrorCode::kOutOfMemory, "the system refused thread " + std::to_string(state.workers.size() + 2) +
                                             " of " + std::to_string(n) + "; use fewer threads (--threads)");
  }
  return pool;
}

int ThreadPool::size() const { return static_cast<int>(state_->n); }

void ThreadPool::run_erased(void (*call)(void*, int), void* object) {
  const FlushDenormals flush;
  State& state = *state_;
  if (state.n == 1) {
    call(object, 0);
    return;
  }
  const PinCaller pin(state.caller_cpu);
  state.call = call;
  state.object = object;
  const std::uint32_t previous = state.start.value.load(std::memory_order_relaxed);
  state.start.set(previous + 1);
  call(object, 0);
  state.finished.wait_change(previous, state.spin_ticks);
}

void ThreadPool::barrier(int i_thread) {
  State& state = *state_;
  if (state.n == 1) return;
  const std::uint32_t epoch = state.epoch.value.load(std::memory_order_relaxed);
  if (state.n_arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == state.n) {
    state.n_arrived.value.store(0, std::memory_order_relaxed);
    state.epoch.set(epoch + 1);
    return;
  }
  const std::uint64_t begin = ticks();
  state.epoch.wait_change(epoch, state.spin_ticks);
  std::atomic<std::uint64_t>& total = state.slots[static_cast<std::size_t>(i_thread)].wait_ticks;
  total.store(total.load(std::memory_order_relaxed) + (ticks() - begin), std::memory_order_relaxed);
}

double ThreadPool::barrier_wait_seconds(int i_thread) const {
  RECKON_CHECK(i_thread >= 0 && i_thread < size());
  const std::atomic<std::uint64_t>& total = state_->slots[static_cast<std::size_t>(i_thread)].wait_ticks;
  return static_cast<double>(total.load(std::memory_order_relaxed)) / ticks_per_second();
}

}  // namespace reckon::sys
