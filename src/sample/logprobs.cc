#include "sample/logprobs.h"

#include <algorithm>
#include <cmath>

#include "sample/exponential.h"

namespace reckon::sample {

void Logprobs::scan(std::span<const float> logits) {
  blocks_.scan(logits);
  logits_ = logits;
  const double max = blocks_.max();
  // Eight sums: vector code, and the same order of additions whatever the width.
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  const std::size_t n_whole = logits.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < n_whole; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) sums[j] += exp_negative(logits[i + j] - max);
  }
  for (std::size_t i = n_whole; i < logits.size(); ++i) sums[i - n_whole] += exp_negative(logits[i] - max);
  double sum = 0;
  for (const double s : sums) sum += s;
  log_sum_ = max + std::log(sum);
}

float Logprobs::of(TokenId id) const { return static_cast<float>(logits_[static_cast<std::size_t>(id)] - log_sum_); }

void Logprobs::top(int n, std::vector<TokenLogprob>& out) const {
  out.clear();
  if (n <= 0) return;
  const auto wanted = static_cast<std::size_t>(n);
  const auto likelier = [](const TokenLogprob& a, const TokenLogprob& b) { return a.logprob > b.logprob; };
  // A first floor from the block maxima would need a sort; instead the floor rises as better tokens turn up.
  const auto offer = [&](TokenId id, float logit) {
    if (out.size() == wanted) {
      if (!(logit > out.back().logprob)) return;
      out.pop_back();
    }
    const TokenLogprob token{id, logit};
    out.insert(std::ranges::upper_bound(out, token, likelier), token);
  };
  blocks_.for_each_block([&](float block_max) { return out.size() < wanted || block_max > out.back().logprob; }, offer);
  for (TokenLogprob& token : out) token.logprob = static_cast<float>(token.logprob - log_sum_);
}

}  // namespace reckon::sample
