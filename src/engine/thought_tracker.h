#pragma once
// Whether a sequence is inside of its thought, by token ids, and when the thought has to end.
// Owner: the sequence. It is told each token of the answer, chosen or fed in.

#include <span>

#include "reckon/engine.h"

namespace reckon::engine {

class ThoughtTracker {
 public:
  explicit ThoughtTracker(const ThoughtOptions& options);  // kept by reference

  // `answer` are all tokens of the answer, the newest last. True: that token belongs to the thought, as the tokens of a
  // closing mark do; those of an opening mark do not.
  bool push(std::span<const TokenId> answer);

  [[nodiscard]] bool inside() const { return inside_; }
  [[nodiscard]] int n_tokens() const { return n_tokens_; }
  [[nodiscard]] ThoughtEnd end() const { return end_; }
  [[nodiscard]] bool can_close() const { return inside_ && !forced_close().empty(); }
  // n_left: how many tokens the answer may still have.
  [[nodiscard]] bool over_budget(int n_left) const;

  // What to feed in to end the thought. Feed and push all of it, then call closed().
  [[nodiscard]] std::span<const TokenId> forced_close() const;
  void closed(ThoughtEnd why);

 private:
  const ThoughtOptions& options_;
  bool inside_;
  int n_tokens_ = 0;
  ThoughtEnd end_ = ThoughtEnd::kNone;
};

}  // namespace reckon::engine
