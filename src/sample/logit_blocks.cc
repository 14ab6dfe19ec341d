#include "sample/logit_blocks.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace reckon::sample {
namespace {

// Written so that compilers turn the inner loop into vector maxima; a comparison with NaN is false, so NaN never wins.
float max_of_block(const float* x) {
  constexpr std::size_t kLanes = 16;
  float lanes[kLanes];
  for (std::size_t j = 0; j < kLanes; ++j) lanes[j] = LogitBlocks::kMinusInfinity;
  for (std::size_t i = 0; i < LogitBlocks::kBlock; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t j = 0; j < width; ++j) lanes[j] = lanes[j + width] > lanes[j] ? lanes[j + width] : lanes[j];
  }
  return lanes[0];
}

}  // namespace

void LogitBlocks::scan(std::span<const float> logits) {
  RECKON_CHECK((logits.size() + kBlock - 1) / kBlock == maxima_.size());
  logits_ = logits;
  max_ = kMinusInfinity;
  const std::size_t n_whole = logits.size() / kBlock;
  for (std::size_t i = 0; i < n_whole; ++i) maxima_[i] = max_of_block(logits.data() + i * kBlock);
  if (n_whole < maxima_.size()) {
    float last = kMinusInfinity;
    for (const float x : logits.subspan(n_whole * kBlock)) last = x > last ? x : last;
    maxima_[n_whole] = last;
  }
  for (const float m : maxima_) max_ = m > max_ ? m : max_;
}

TokenId LogitBlocks::argmax() const {
  const auto block = std::ranges::find(maxima_, max_);
  if (max_ == kMinusInfinity || block == maxima_.end()) return -1;
  auto i = static_cast<std::size_t>(block - maxima_.begin()) * kBlock;
  while (logits_[i] != max_) ++i;
  return static_cast<TokenId>(i);
}

float LogitBlocks::kth_maximum(std::size_t k) {
  if (k > maxima_.size()) return kMinusInfinity;
  scratch_ = maxima_;
  const auto kth = scratch_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(scratch_.begin(), kth, scratch_.end(), std::greater<>());
  return *kth;
}

}  // namespace reckon::sample
