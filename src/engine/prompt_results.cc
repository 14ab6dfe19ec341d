#include "engine/prompt_results.h"

#include <algorithm>
#include <cmath>

namespace reckon::engine {

PromptResults::PromptResults(const Request& request, int n_prompt)
    : request_(request), n_prompt_(n_prompt), next_(std::max(1, request.prompt_logprobs_from)) {}

void PromptResults::prepare() {
  if (!wants_logprobs()) return;
  tokens_.reserve(kMostPerStep);
  top_.resize(kMostPerStep);
  for (auto& list : top_) list.reserve(static_cast<std::size_t>(n_top()));
}

int PromptResults::n_reusable() const {
  int n = n_prompt_;
  if (wants_logprobs()) n = std::min(n, next_ - 1);
  if (request_.pooling == Pooling::kMean) n = std::min(n, n_pooled_);
  return n;
}

int PromptResults::n_logits(int start, int end) const {
  const bool wants = wants_logprobs() && next_ < n_prompt_;
  return wants ? std::max(0, end - std::max(start, next_ - 1)) : 0;
}

int PromptResults::n_hidden(int start, int end) const {
  if (request_.pooling == Pooling::kMean) return end - start;
  return request_.pooling == Pooling::kLast && end == n_prompt_ ? 1 : 0;
}

bool PromptResults::wants_logprob(int position) const {
  return wants_logprobs() && position == next_ && position < n_prompt_ && tokens_.size() < kMostPerStep;
}

void PromptResults::push(TokenLogprob token) {
  tokens_.push_back(token);
  ++next_;
}

void PromptResults::push_hidden(std::span<const float> rows, std::size_t n_embd) {
  if (sums_.empty()) sums_.resize(n_embd);
  for (std::size_t i = 0; i < rows.size(); ++i) sums_[i % n_embd] += static_cast<double>(rows[i]);
  n_pooled_ += static_cast<int>(rows.size() / n_embd);
}

PromptLogprobs PromptResults::logprobs() const {
  PromptLogprobs out;
  out.position = next_ - static_cast<int>(tokens_.size());
  out.tokens = tokens_;
  if (n_top() > 0) out.top = std::span(top_).first(tokens_.size());
  return out;
}

std::span<const float> PromptResults::embedding() {
  embedding_.resize(sums_.size());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    embedding_[i] = static_cast<float>(sums_[i] / n_pooled_);
    if (!std::isfinite(embedding_[i])) return {};
  }
  return embedding_;
}

}  // namespace reckon::engine
