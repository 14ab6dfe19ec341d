#pragma once
// Places in a text: sets of (state, stack). Stacks share their lower parts, and equal stacks are one stack.
// Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/automaton.h"

namespace reckon::grammar {

using FrameId = std::uint32_t;
inline constexpr FrameId kBottom = 0;  // the empty stack

// Where to go on once a called rule has ended, and the stack below that.
struct Frame {
  StateId state = 0;
  FrameId below = kBottom;
};

class FramePool {
 public:
  FramePool() : frames_(1) {}
  FrameId push(StateId state, FrameId below);
  [[nodiscard]] const Frame& operator[](FrameId id) const { return frames_[id]; }
  [[nodiscard]] std::size_t size() const { return frames_.size(); }
  void clear();

 private:
  std::vector<Frame> frames_;  // a frame comes after the one below it
  std::unordered_map<std::uint64_t, FrameId> ids_;
};

struct Place {
  StateId state = 0;
  FrameId stack = kBottom;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// Everything that may come next at one point of a text.
struct Config {
  std::vector<Place> places;  // sorted; states that read a byte
  bool at_bottom = false;     // what lies on the stacks has ended: the text is complete, as far as they know
  [[nodiscard]] bool is_dead() const { return places.empty() && !at_bottom; }
  friend bool operator==(const Config&, const Config&) = default;
};

// The places that can be reached from given ones without reading. Keeps its buffers between calls.
class Closure {
 public:
  explicit Closure(const Automaton& automaton) : automaton_(&automaton) {}

  // False over kMaxStacks or kMaxFrames; `out` is then of no use.
  [[nodiscard]] bool close(std::span<const Place> seeds, FramePool& pool, Config& out);
  // From `from` over one byte, which may be `out` itself.
  [[nodiscard]] bool step(const Config& from, std::uint8_t byte, FramePool& pool, Config& out);

 private:
  bool visit(Place place);

  const Automaton* automaton_;
  std::vector<Place> todo_;
  std::vector<Place> seeds_;
  struct Slot {
    Place place;
    std::uint32_t round = 0;
  };
  std::vector<Slot> seen_ = std::vector<Slot>(64);  // open addressing, a power of two
  std::size_t n_seen_ = 0;
  std::uint32_t round_ = 0;
};

}  // namespace reckon::grammar
