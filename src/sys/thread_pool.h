#pragma once
// One pinned pool of compute threads with a spinning barrier. The caller of run() is thread 0.
// Owner: Engine. Thread: run() by one thread at a time; barrier() and thread_index only inside run().

#include <cstdint>
#include <memory>

#include "base/result.h"

namespace reckon::sys {

class ThreadPool {
 public:
  struct Options {
    int n_threads = 1;  // 1..256, the caller counts as one
    bool pin = true;    // one CPU each, physical cores first; the caller only during run()
    int spin_us = 50;   // how long a waiting thread spins before it sleeps in the kernel
  };
  // kInvalidInput, kOutOfMemory (the system refused a thread).
  static Result<std::unique_ptr<ThreadPool>> create(const Options& options);
  ~ThreadPool();

  [[nodiscard]] int size() const;

  // Calls task(i) on every thread i of 0..size-1 and returns when all are done. Workers spin for spin_us between
  // two runs, then sleep. Denormals are flushed to zero in the workers and, during run(), in the caller.
  template <class Task>
  void run(Task& task) {
    run_erased([](void* object, int i_thread) { (*static_cast<Task*>(object))(i_thread); }, &task);
  }

  // All threads of the current run() meet here. Bounded spinning, then a futex wait.
  void barrier(int i_thread);
  // Seconds that the given thread has waited in barrier() since the pool was made.
  [[nodiscard]] double barrier_wait_seconds(int i_thread) const;

 private:
  ThreadPool();
  void run_erased(void (*call)(void*, int), void* object);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reckon::sys
