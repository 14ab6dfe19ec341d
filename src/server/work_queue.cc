#include "server/work_queue.h"

#include <utility>

namespace reckon::server {

WorkQueue::~WorkQueue() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool WorkQueue::post(std::function<void()> task, std::size_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (tasks_.size() >= limits_.max_tasks || bytes_ + bytes > limits_.max_bytes) return false;
    bytes_ += bytes;
    tasks_.push_back({std::move(task), bytes});
  }
  changed_.notify_one();
  return true;
}

void WorkQueue::run() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      bytes_ -= task.bytes;
    }
    task.run();
  }
}

}  // namespace reckon::server
