#pragma once
// The preparation thread: what is too slow for the I/O thread and no business of the engine's - parsing of bodies,
// templates, tokenisation, grammars - in the order it came in, bounded by what waits.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace reckon::server {

class WorkQueue {
 public:
  struct Limits {
    std::size_t max_tasks = 1024;
    std::size_t max_bytes = 128u << 20;
  };
  explicit WorkQueue(Limits limits) : limits_(limits), thread_([this] { run(); }) {}
  ~WorkQueue();  // what waits is dropped
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `bytes`: what the task holds. False: too much waits already. A task throws nothing. Thread: any.
  bool post(std::function<void()> task, std::size_t bytes);

 private:
  struct Task {
    std::function<void()> run;
    std::size_t bytes;
  };
  void run();

  Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::size_t bytes_ = 0;
  bool stopping_ = false;
  std::thread thread_;  // last: it starts when all else is there
};

}  // namespace reckon::server
