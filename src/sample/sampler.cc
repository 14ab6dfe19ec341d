#include "sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "sample/exponential.h"
#include "sample/penalties.h"
#include "sample/random.h"

namespace reckon::sample {
namespace {

constexpr double kWholeVocabulary = std::numeric_limits<double>::infinity();
constexpr std::size_t kBuckets = 1024;

}  // namespace

Sampler::Sampler(std::size_t n_vocab, double window) : blocks_(n_vocab), n_vocab_(n_vocab), window_(window) {
  candidates_.reserve(n_vocab);
  weights_.reserve(n_vocab);
  order_.reserve(n_vocab);
}

std::optional<TokenId> Sampler::sample(const SampleInput& input) {
  RECKON_CHECK(input.logits.size() == n_vocab_);
  const SampleOptions& options = *input.options;
  if (!input.mask.empty()) apply_mask(input.logits, input.mask);
  if (input.counts != nullptr) apply_penalties(input.logits, options, *input.counts);
  apply_bias(input.logits, options);
  for (const TokenId id : input.forbidden) input.logits[static_cast<std::size_t>(id)] = LogitBlocks::kMinusInfinity;

  blocks_.scan(input.logits);
  const TokenId best = blocks_.argmax();
  if (best < 0) return std::nullopt;
  if (!(options.temperature > 0) || options.top_k == 1 || std::isinf(blocks_.max())) return best;

  temperature_ = options.temperature;
  const auto top_k = static_cast<std::size_t>(options.top_k);
  if (options.top_k > 0 && top_k < n_vocab_) {
    gather_top_k(top_k);
  } else if (!(options.top_p < 1) && options.min_p > 0) {
    gather(1e-3 - std::log(static_cast<double>(options.min_p)));  // the others fall to min-p whatever their number
    gathered_window_ = kWholeVocabulary;
  } else {
    gather(window_);
  }
  weigh();
  if (options.top_p < 1) {
    if (!keep_top_p(options.top_p)) {
      gather(kWholeVocabulary);
      weigh();
      RECKON_CHECK(keep_top_p(options.top_p));
    }
    gathered_window_ = kWholeVocabulary;
  }
  if (options.min_p > 0) keep_min_p(options.min_p);
  return gathered_window_ < kWholeVocabulary ? draw_with_tail(input) : draw(input);
}

// Candidates: all tokens whose logit is within window * temperature of the largest.
void Sampler::gather(double window) {
  gathered_window_ = window;
  const auto rounded = static_cast<float>(static_cast<double>(blocks_.max()) - window * temperature_);
  gather_from(std::nextafter(rounded, LogitBlocks::kMinusInfinity));  // never above the exact one
}

void Sampler::gather_from(float threshold) {
  threshold_ = threshold;
  candidates_.clear();
  blocks_.for_each_block([&](float block_max) { return block_max >= threshold; },
                         [&](TokenId id, float logit) {
                           if (logit >= threshold) candidates_.push_back({logit, id});
                         });
}

// At least k tokens reach the k-th largest maximum of a block, so no other token can be among the k largest.
void Sampler::gather_top_k(std::size_t top_k) {
  gather_from(blocks_.kth_maximum(top_k));
  gathered_window_ = kWholeVocabulary;  // nothing outside of the candidates is left
  if (candidates_.size() <= top_k) return;
  order_.assign(candidates_.begin(), candidates_.end());
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(top_k - 1);
  std::nth_element(order_.begin(), last, order_.end(), before);
  std::erase_if(candidates_, [&](const Candidate& c) { return before(*last, c); });
}

void Sampler::weigh() {
  const std::size_t n = candidates_.size();
  weights_.resize(n);
  const double max = blocks_.max();
  for (std::size_t i = 0; i < n; ++i) weights_[i] = exp_negative((candidates_[i].logit - max) / temperature_);
  weight_sum_ = 0;
  for (const double w : weights_) weight_sum_ += w;
}

// No more than this is the weight of all tokens that are no candidates.
double Sampler::tail_bound() const {
  if (gathered_window_ == kWholeVocabulary) return 0;
  return static_cast<double>(n_vocab_ - candidates_.size()) * exp_negative(-gathered_window_);
}

// The smallest set of likeliest candidates that holds top_p of the whole mass. False, with nothing changed, where that
// depends on tokens that are no candidates.
bool Sampler::keep_top_p(float top_p) {
  const double need = static_cast<double>(top_p) * weight_sum_;
  const double need_at_most = static_cast<double>(top_p) * (weight_sum_ + tail_bound());
  const double max = blocks_.max();

  // The mass by buckets of distance to the best tells in which bucket the last kept candidate lies.
  const double per_bucket = kBuckets / (40 * temperature_);
  const auto bucket_of = [&](const Candidate& c) {
    return static_cast<std::size_t>(std::min((max - c.logit) * per_bucket, kBuckets - 1.0));
  };
  double mass_of[kBuckets] = {};
  for (std::size_t i = 0; i < candidates_.size(); ++i) mass_of[bucket_of(candidates_[i])] += weights_[i];
  std::size_t bucket = 0;
  double mass = 0;
  while (bucket + 1 < kBuckets && mass + mass_of[bucket] < need) mass += mass_of[bucket++];
  order_.clear();
  for (const Candidate& c : candidates_) {
    if (bucket_of(c) == bucket) order_.push_back(c);
  }
  std::ranges::sort(order_, before);
  std::size_t i = 0;
  for (; i < order_.size(); ++i) {
    mass += exp_negative((order_[i].logit - max) / temperature_);
    if (mass >= need) break;
  }
  if (tail_bound() > 0 && (i == order_.size() || mass < need_at_most)) return false;
  if (i == order_.size()) return true;  // by rounding: all are needed
  const Candidate last = order_[i];
  keep([&](std::size_t c) { return !before(last, candidates_[c]); });
  return true;
}

void Sampler::keep_min_p(float min_p) {
  keep([&](std::size_t i) { return weights_[i] >= static_cast<double>(min_p); });  // the best has weight 1
}

template <class Wanted>
void Sampler::keep(Wanted wanted) {
  std::size_t n = 0;
  weight_sum_ = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!wanted(i)) continue;
    candidates_[n] = candidates_[i];
    weights_[n] = weights_[i];
    weight_sum_ += weights_[n++];
  }
  candidates_.resize(n);
  weights_.resize(n);
}

TokenId Sampler::draw(const SampleInput& input) {
  double left = uniform(input.options->seed, input.position) * weight_sum_;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    left -= weights_[i];
    if (left < 0) return candidates_[i].id;
  }
  return candidates_.back().id;  // only by rounding
}

// Rejection: draw from the candidates' weights plus the bound of the others' weight. A draw that falls beyond the
// candidates belongs to the token of the tail in whose weight it lies, or is drawn again.
TokenId Sampler::draw_with_tail(const SampleInput& input) {
  const double bound = tail_bound();
  const double max = blocks_.max();
  for (std::uint64_t attempt = 0; attempt < 64; ++attempt) {
    double left = uniform(input.options->seed, input.position, attempt) * (weight_sum_ + bound);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      left -= weights_[i];
      if (left < 0) return candidates_[i].id;
    }
    TokenId found = -1;
    blocks_.for_each_block([&](float) { return found < 0; },
                           [&](TokenId id, float logit) {
                             if (found >= 0 || logit >= threshold_) return;
                             left -= exp_negative((logit - max) / temperature_);
                             if (left < 0) found = id;
                           });
    if (found >= 0) return found;
  }
  return blocks_.argmax();  // once in 1e200 draws
}

}  // namespace reckon::sample
