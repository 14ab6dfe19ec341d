#pragma once
// Configurations above an unknown stack, made deterministic while they are walked: each has an id and a table of what
// follows each byte, filled in when first asked. Not thread-safe.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "grammar/stacks.h"

namespace reckon::grammar {

class LazyDfa {
 public:
  using Id = std::int32_t;
  static constexpr Id kDead = 0;

  explicit LazyDfa(const Automaton& automaton);

  // Of a state that reads a byte: only what it reads itself, above an unknown stack.
  Id of_state(StateId state);
  // Everything that can follow from a state, calls and returns included.
  Id from_state(StateId state);
  Id next(Id id, std::uint8_t byte) {
    const Id known = next_[256 * static_cast<std::size_t>(id) + byte];
    return known >= 0 ? known : work_out(id, byte);
  }
  // The rule of the state that the walk began with may have ended here.
  [[nodiscard]] bool at_bottom(Id id) const { return (flags_[static_cast<std::size_t>(id)] & kAtBottom) != 0; }
  [[nodiscard]] bool reads(Id id) const { return (flags_[static_cast<std::size_t>(id)] & kReads) != 0; }

  // Over a limit: everything that is not known yet counts as dead. begin_walk() ends that state; it may also forget
  // all ids, so call it before a walk and not in one.
  [[nodiscard]] bool is_over() const { return is_over_; }
  void begin_walk();

 private:
  struct Hash {
    std::size_t operator()(const Config& config) const;
  };
  static constexpr std::uint8_t kAtBottom = 1;
  static constexpr std::uint8_t kReads = 2;

  Id intern(Config config);
  Id work_out(Id id, std::uint8_t byte);
  void clear();

  Closure closure_;
  FramePool pool_;
  std::vector<Id> next_;                // by id and byte; -1: not known yet
  std::vector<std::uint8_t> flags_;     // by id
  std::vector<const Config*> configs_;  // by id: keys of ids_
  std::unordered_map<Config, Id, Hash> ids_;
  std::unordered_map<StateId, Id> from_state_;
  Config scratch_;
  std::size_t max_configs_ = 0;
  bool is_over_ = false;
};

}  // namespace reckon::grammar
