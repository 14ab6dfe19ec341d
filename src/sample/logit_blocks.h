#pragma once
// The largest logit of each block of 64: one pass over the vocabulary, after which only blocks of interest are read.
// NaN counts as minus infinity everywhere. Memory: all made in the constructor.

#include <limits>
#include <span>
#include <vector>

#include "reckon/token.h"

namespace reckon::sample {

class LogitBlocks {
 public:
  static constexpr std::size_t kBlock = 64;
  static constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

  explicit LogitBlocks(std::size_t n_vocab) : maxima_((n_vocab + kBlock - 1) / kBlock), scratch_(maxima_.size()) {}

  void scan(std::span<const float> logits);  // [n_vocab]; the span must stay until the next scan

  [[nodiscard]] float max() const { return max_; }
  [[nodiscard]] TokenId argmax() const;  // the lowest id with the largest logit; -1 where all are minus infinity

  // The k-th largest of the block maxima, minus infinity where there are fewer than k blocks. k >= 1.
  [[nodiscard]] float kth_maximum(std::size_t k);

  // Calls visit(id, logit) for the logits of each block whose maximum is `wanted`, in order of ids; never for NaN or
  // minus infinity. `wanted` is asked again before each block.
  template <class Wanted, class Visit>
  void for_each_block(Wanted wanted, Visit visit) const {
    for (std::size_t i_block = 0; i_block < maxima_.size(); ++i_block) {
      if (!wanted(maxima_[i_block])) continue;
      const std::size_t begin = i_block * kBlock;
      const std::size_t end = begin + kBlock < logits_.size() ? begin + kBlock : logits_.size();
      for (std::size_t i = begin; i < end; ++i) {
        if (logits_[i] > kMinusInfinity) visit(static_cast<TokenId>(i), logits_[i]);
      }
    }
  }

 private:
  std::span<const float> logits_;
  std::vector<float> maxima_;
  std::vector<float> scratch_;
  float max_ = kMinusInfinity;
};

}  // namespace reckon::sample
