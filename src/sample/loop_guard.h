#pragma once
// Notices that a sequence repeats itself exactly: the last tokens are one block of `period` tokens over and over.
//
// Rule: a loop of period p is reported once the periodic tail is max(4 p, 2 p + 192) tokens long, p = 1..512. Long
// blocks need four exact repeats. Short ones need many more, since tables, rulers ("====") and rows of zeros repeat by
// right: 194 equal tokens, 18 repeats of 12 tokens, 8 of 32. Always within 200 tokens after the fourth repeat.
//
// Owner: the sequence. Cost: 512 comparisons a token, about 0.1 us. Memory: all made in the constructor.

#include <cstdint>
#include <vector>

#include "reckon/token.h"

namespace reckon::sample {

class LoopGuard {
 public:
  static constexpr int kMaxPeriod = 512;

  LoopGuard();

  // The period of the loop that this token completes, 0 where there is none.
  int push(TokenId id);
  // Forgets what was pushed.
  void reset();

  // Length of a periodic tail from which on it counts as a loop.
  static constexpr int loop_length(int period) { return period < 96 ? 2 * period + 192 : 4 * period; }

 private:
  std::vector<TokenId> recent_;        // [4 kMaxPeriod]: the last tokens, newest at n_recent_ - 1; moved down when full
  std::vector<std::int32_t> n_equal_;  // [kMaxPeriod], slot kMaxPeriod - p: how many of the last tokens equal the one
                                       // that came p before them
  int n_recent_ = 0;
};

}  // namespace reckon::sample
