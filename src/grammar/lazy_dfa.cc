#include "grammar/lazy_dfa.h"

#include <algorithm>

#include "grammar/limits.h"

namespace reckon::grammar {

std::size_t LazyDfa::Hash::operator()(const Config& config) const {
  std::uint64_t hash = config.at_bottom ? 1 : 2;
  for (const Place& place : config.places) {
    hash = (hash ^ (std::uint64_t{place.state} << 32 | place.stack)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

LazyDfa::LazyDfa(const Automaton& automaton) : closure_(automaton) { clear(); }

void LazyDfa::clear() {
  pool_.clear();
  next_.clear();
  flags_.clear();
  configs_.clear();
  ids_.clear();
  from_state_.clear();
  max_configs_ = kMaxConfigsOfOneWalk;
  intern({});  // kDead
  std::ranges::fill(next_, kDead);
}

void LazyDfa::begin_walk() {
  if (is_over_ || configs_.size() > kKeptConfigs || pool_.size() > kMaxFrames / 2) clear();
  is_over_ = false;
  max_configs_ = configs_.size() + kMaxConfigsOfOneWalk;
}

LazyDfa::Id LazyDfa::intern(Config config) {
  const auto [found, is_new] = ids_.try_emplace(std::move(config), static_cast<Id>(configs_.size()));
  if (is_new) {
    configs_.push_back(&found->first);
    flags_.push_back(static_cast<std::uint8_t>((found->first.at_bottom ? kAtBottom : 0) |
                                               (found->first.places.empty() ? 0 : kReads)));
    next_.resize(next_.size() + 256, -1);
    is_over_ |= configs_.size() > max_configs_;
  }
  return found->second;
}

LazyDfa::Id LazyDfa::of_state(StateId state) { return intern({{{state, kBottom}}, false}); }

LazyDfa::Id LazyDfa::from_state(StateId state) {
  if (const auto known = from_state_.find(state); known != from_state_.end()) return known->second;
  if (is_over_) return kDead;
  const Place seed{state, kBottom};
  if (!closure_.close({&seed, 1}, pool_, scratch_)) {
    is_over_ = true;
    return kDead;
  }
  const Id id = intern(scratch_);
  from_state_.emplace(state, id);
  return id;
}

LazyDfa::Id LazyDfa::work_out(Id id, std::uint8_t byte) {
  if (is_over_) return kDead;
  if (!closure_.step(*configs_[static_cast<std::size_t>(id)], byte, pool_, scratch_)) {
    is_over_ = true;
    return kDead;
  }
  const Id next = intern(scratch_);
  next_[256 * static_cast<std::size_t>(id) + byte] = next;
  return next;
}

}  // namespace reckon::grammar
