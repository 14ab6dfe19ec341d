#pragma once
// The requests that wait for their first step, in the order in which they are taken in: those put back by the scheduler
// first, then one of each client in turn, so that a client with many requests delays another by one of them at most.
// Owner: Scheduler. Thread: engine thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "engine/sequence.h"

namespace reckon::engine {

class WaitingLine {
 public:
  void add(std::unique_ptr<Sequence> sequence);
  void put_back(std::unique_ptr<Sequence> sequence);  // before all others

  [[nodiscard]] bool is_empty() const { return n_ == 0; }
  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] Sequence& next() const;  // not of an empty line
  std::unique_ptr<Sequence> take_next();

  [[nodiscard]] Sequence* find(RequestId id) const;
  void for_each(const std::function<void(Sequence&)>& visit) const;
  void take_finished(const std::function<void(std::unique_ptr<Sequence>)>& done);
  // Changes whenever places do.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // In the order in which they will be taken in, if none comes or goes.
  void for_each_in_turn(const std::function<void(Sequence&)>& visit) const;

 private:
  using Queue = std::deque<std::unique_ptr<Sequence>>;
  struct Client {
    std::uint64_t key = 0;
    Queue queue;  // never empty
  };

  Queue put_back_;
  std::deque<Client> clients_;  // whose turn it is comes first
  int n_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace reckon::engine
