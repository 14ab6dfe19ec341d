#include "http/service_state.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "http/connection.h"

namespace reckon::http {

ServiceState::ServiceState(const Limits& limits_given, Access access, Router router_given, OnExchangeEnd on_end_given)
    : limits(limits_given),
      router(std::move(router_given)),
      on_end(std::move(on_end_given)),
      access_(std::make_shared<const Access>(std::move(access))),
      random_(std::random_device{}()) {}

std::shared_ptr<const Access> ServiceState::access() const {
  const std::scoped_lock lock(access_mutex_);
  return access_;
}

void ServiceState::set_access(Access access) {
  auto next = std::make_shared<const Access>(std::move(access));
  const std::scoped_lock lock(access_mutex_);
  access_.swap(next);
}

void ServiceState::exchange_begins() {
  const std::scoped_lock lock(exchanges_mutex_);
  ++n_exchanges_;
}

void ServiceState::exchange_ends() {
  const std::scoped_lock lock(exchanges_mutex_);
  if (--n_exchanges_ == 0) exchanges_changed_.notify_all();
}

void ServiceState::wait_for_exchanges(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(exchanges_mutex_);
  exchanges_changed_.wait_until(lock, deadline, [this] { return n_exchanges_ == 0; });
}

std::string ServiceState::make_id() { return fmt::format("req-{:016x}", random_()); }

bool ServiceState::has_room_for(const Peer& peer) const {
  if (n_connections_ >= limits.max_connections) return false;
  if (!peer.counts) return true;
  const auto found = n_of_peer_.find(peer.name);
  return found == n_of_peer_.end() || found->second < limits.max_connections_per_peer;
}

void ServiceState::add(Connection& connection, const Peer& peer) {
  connections_.insert(&connection);
  if (peer.counts) ++n_of_peer_[peer.name];
  ++n_connections_;
}

void ServiceState::remove(Connection& connection, const Peer& peer) {
  connections_.erase(&connection);
  if (const auto found = n_of_peer_.find(peer.name); peer.counts && --found->second == 0) n_of_peer_.erase(found);
  --n_connections_;
  if (connections_.empty() && on_none_left_) on_none_left_();
}

void ServiceState::close_all(std::function<void()> done) {
  if (connections_.empty()) return done();
  on_none_left_ = std::move(done);
  // Each lives until a coroutine of its own ends, which closing does not do at once.
  for (Connection* connection : std::vector(connections_.begin(), connections_.end())) connection->close_now();
}

}  // namespace reckon::http
