#include "grammar/stacks.h"

#include <algorithm>

#include "grammar/limits.h"

namespace reckon::grammar {
namespace {

std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

}  // namespace

FrameId FramePool::push(StateId state, FrameId below) {
  const auto [found, is_new] = ids_.try_emplace(key_of(state, below), static_cast<FrameId>(frames_.size()));
  if (is_new) frames_.push_back({state, below});
  return found->second;
}

void FramePool::clear() {
  frames_.resize(1);
  ids_.clear();
}

// Remembers the place; it goes on the list where it is new.
bool Closure::visit(Place place) {
  if (2 * n_seen_ >= seen_.size()) {
    std::vector<Slot> old = std::move(seen_);
    seen_ = std::vector<Slot>(2 * old.size());
    n_seen_ = 0;
    std::vector<Place> todo = std::move(todo_);
    for (const Slot& slot : old) {
      if (slot.round == round_) visit(slot.place);
    }
    todo_ = std::move(todo);
  }
  const std::size_t mask = seen_.size() - 1;
  std::size_t at = (key_of(place.state, place.stack) * 0x9E3779B97F4A7C15ULL) >> 32 & mask;
  while (seen_[at].round == round_) {
    if (seen_[at].place == place) return true;
    at = (at + 1) & mask;
  }
  seen_[at] = {place, round_};
  todo_.push_back(place);
  return ++n_seen_ <= kMaxStacks;
}

bool Closure::close(std::span<const Place> seeds, FramePool& pool, Config& out) {
  todo_.clear();
  n_seen_ = 0;
  if (++round_ == 0) {  // after 2^32 calls old marks would look new
    seen_.assign(seen_.size(), {});
    round_ = 1;
  }
  bool fits = true;
  for (const Place seed : seeds) fits &= visit(seed);
  out.places.clear();
  out.at_bottom = false;
  while (!todo_.empty() && fits) {
    const Place place = todo_.back();
    todo_.pop_back();
    const State& state = automaton_->state(place.state);
    if (state.n_byte_edges > 0) out.places.push_back(place);
    if (state.accepts && place.stack == kBottom) out.at_bottom = true;
    if (state.accepts && place.stack != kBottom) {
      const Frame frame = pool[place.stack];
      fits &= visit({frame.state, frame.below});
    }
    for (const CallEdge& call : automaton_->calls(place.state)) {
      // A call that is the last thing a rule does returns to where the rule itself returns: lists stay flat.
      const bool is_last = automaton_->state(call.target).ends_always;
      const FrameId stack = is_last ? place.stack : pool.push(call.target, place.stack);
      fits &= visit({automaton_->start_of(call.rule), stack});
    }
    fits &= pool.size() <= kMaxFrames;
  }
  std::ranges::sort(out.places);
  return fits;
}

bool Closure::step(const Config& from, std::uint8_t byte, FramePool& pool, Config& out) {
  seeds_.clear();
  for (const Place place : from.places) {
    if (const auto next = automaton_->next(place.state, byte)) seeds_.push_back({*next, place.stack});
  }
  return close(seeds_, pool, out);
}

}  // namespace reckon::grammar
