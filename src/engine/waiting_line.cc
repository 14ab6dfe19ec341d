#include "engine/waiting_line.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace reckon::engine {

void WaitingLine::add(std::unique_ptr<Sequence> sequence) {
  const std::uint64_t key = sequence->client_key();
  auto client = std::ranges::find(clients_, key, &Client::key);
  if (client == clients_.end()) {
    clients_.push_back({key, {}});
    client = clients_.end() - 1;
  }
  client->queue.push_back(std::move(sequence));
  ++n_;
  ++version_;
}

void WaitingLine::put_back(std::unique_ptr<Sequence> sequence) {
  put_back_.push_front(std::move(sequence));
  ++n_;
  ++version_;
}

Sequence& WaitingLine::next() const {
  RECKON_CHECK(n_ > 0);
  return put_back_.empty() ? *clients_.front().queue.front() : *put_back_.front();
}

std::unique_ptr<Sequence> WaitingLine::take_next() {
  RECKON_CHECK(n_ > 0);
  --n_;
  ++version_;
  if (!put_back_.empty()) {
    auto sequence = std::move(put_back_.front());
    put_back_.pop_front();
    return sequence;
  }
  Client client = std::move(clients_.front());
  clients_.pop_front();
  auto sequence = std::move(client.queue.front());
  client.queue.pop_front();
  if (!client.queue.empty()) clients_.push_back(std::move(client));
  return sequence;
}

Sequence* WaitingLine::find(RequestId id) const {
  Sequence* found = nullptr;
  for_each([&](Sequence& sequence) {
    if (sequence.id() == id) found = &sequence;
  });
  return found;
}

void WaitingLine::for_each(const std::function<void(Sequence&)>& visit) const {
  for (const auto& sequence : put_back_) visit(*sequence);
  for (const Client& client : clients_) {
    for (const auto& sequence : client.queue) visit(*sequence);
  }
}

void WaitingLine::take_finished(const std::function<void(std::unique_ptr<Sequence>)>& done) {
  std::vector<std::unique_ptr<Sequence>> finished;  // not a deque, which allocates even where it stays empty
  const auto take_from = [&](Queue& queue) {
    for (auto& sequence : queue) {
      if (sequence->is_finished()) finished.push_back(std::move(sequence));
    }
    std::erase(queue, nullptr);
  };
  take_from(put_back_);
  for (Client& client : clients_) take_from(client.queue);
  std::erase_if(clients_, [](const Client& client) { return client.queue.empty(); });
  if (finished.empty()) return;
  n_ -= static_cast<int>(finished.size());
  ++version_;
  for (auto& sequence : finished) done(std::move(sequence));
}

void WaitingLine::for_each_in_turn(const std::function<void(Sequence&)>& visit) const {
  for (const auto& sequence : put_back_) visit(*sequence);
  std::size_t n_visited = put_back_.size();
  for (std::size_t round = 0; n_visited < static_cast<std::size_t>(n_); ++round) {
    for (const Client& client : clients_) {
      if (round >= client.queue.size()) continue;
      visit(*client.queue[round]);
      ++n_visited;
    }
  }
}

}  // namespace reckon::engine
