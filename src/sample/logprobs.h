#pragma once
// Log-probabilities of a model's own logits: before penalties, bias and temperature. Computed in double.

#include <span>
#include <vector>

#include "reckon/sampling.h"
#include "sample/logit_blocks.h"

namespace reckon::sample {

class Logprobs {
 public:
  explicit Logprobs(std::size_t n_vocab) : blocks_(n_vocab) {}

  // Reads [n_vocab] logits; the span must stay, unchanged, until the next call.
  void scan(std::span<const float> logits);

  [[nodiscard]] float of(TokenId id) const;
  // The n likeliest tokens, likeliest first, the lower id first where equal. Replaces `out`; allocates only where its
  // capacity is below n.
  void top(int n, std::vector<TokenLogprob>& out) const;

 private:
  LogitBlocks blocks_;
  std::span<const float> logits_;
  double log_sum_ = 0;  // log of the sum of exp(logit)
};

}  // namespace reckon::sample
