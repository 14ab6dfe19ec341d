#pragma once
// What the connections of one server share. Owner: the server, which outlives them.
// Thread: I/O, but for access and the counters.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "http/server.h"

namespace reckon::http {

class Connection;

struct Peer {
  std::string name;                    // its address, without the port
  bool counts = false;                 // against Limits::max_connections_per_peer
  std::vector<std::string> own_hosts;  // names that we go by on this connection
};

class ServiceState {
 public:
  ServiceState(const Limits& limits_given, Access access, Router router_given, OnExchangeEnd on_end_given);

  const Limits limits;
  const Router router;
  const OnExchangeEnd on_end;

  // Any thread.
  [[nodiscard]] std::shared_ptr<const Access> access() const;
  void set_access(Access access);
  std::atomic<bool> is_draining{false};
  [[nodiscard]] int n_connections() const { return n_connections_; }

  // Exchanges between the handler's call and the last byte of the answer. Any thread.
  void exchange_begins();
  void exchange_ends();
  void wait_for_exchanges(std::chrono::steady_clock::time_point deadline);

  // I/O thread.
  [[nodiscard]] std::string make_id();
  [[nodiscard]] bool has_room_for(const Peer& peer) const;
  void add(Connection& connection, const Peer& peer);
  void remove(Connection& connection, const Peer& peer);
  // Closes all; `done` is called once there is none, and there must be none later.
  void close_all(std::function<void()> done);

 private:
  std::atomic<int> n_connections_{0};
  mutable std::mutex access_mutex_;
  std::shared_ptr<const Access> access_;
  std::mutex exchanges_mutex_;
  std::condition_variable exchanges_changed_;
  int n_exchanges_ = 0;
  std::mt19937_64 random_;
  std::unordered_set<Connection*> connections_;
  std::unordered_map<std::string, int> n_of_peer_;
  std::function<void()> on_none_left_;
};

}  // namespace reckon::http
