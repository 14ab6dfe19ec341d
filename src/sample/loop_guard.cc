#include "sample/loop_guard.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace reckon::sample {
namespace {
constexpr std::size_t kPeriods = LoopGuard::kMaxPeriod;
constexpr TokenId kNothing = -1;  // before the first token; equals no token

// By slot, as n_equal_: from how many equal tokens on the tail is a loop.
constexpr auto kEnough = [] {
  std::array<std::int32_t, kPeriods> enough{};
  for (std::size_t i = 0; i < kPeriods; ++i) {
    const int period = static_cast<int>(kPeriods - i);
    enough[i] = LoopGuard::loop_length(period) - period;
  }
  return enough;
}();
}  // namespace

LoopGuard::LoopGuard() : recent_(4 * kPeriods), n_equal_(kPeriods) { reset(); }

void LoopGuard::reset() {
  std::ranges::fill(recent_, kNothing);
  std::ranges::fill(n_equal_, 0);
  n_recent_ = kMaxPeriod;
}

int LoopGuard::push(TokenId id) {
  if (static_cast<std::size_t>(n_recent_) == recent_.size()) {
    std::copy(recent_.end() - kMaxPeriod, recent_.end(), recent_.begin());
    n_recent_ = kMaxPeriod;
  }
  const TokenId* window = recent_.data() + n_recent_ - kMaxPeriod;
  std::int32_t any = 0;
  for (std::size_t i = 0; i < kPeriods; ++i) {
    n_equal_[i] = window[i] == id ? n_equal_[i] + 1 : 0;
    any |= n_equal_[i] >= kEnough[i] ? 1 : 0;
  }
  recent_[static_cast<std::size_t>(n_recent_++)] = id;
  if (any == 0) return 0;
  std::size_t shortest = kPeriods - 1;
  while (n_equal_[shortest] < kEnough[shortest]) --shortest;
  return static_cast<int>(kPeriods - shortest);
}

}  // namespace reckon::sample
