#pragma once
// What a request wants of its prompt beside an answer: log-probabilities of its tokens, an embedding.
// Owner: the sequence. Memory: made in prepare(), for one step's results.

#include <optional>
#include <span>
#include <vector>

#include "reckon/engine.h"

namespace reckon::engine {

class PromptResults {
 public:
  static constexpr int kMostPerStep = 64;  // log-probabilities

  PromptResults(const Request& request, int n_prompt);  // the request is kept by reference
  void prepare();

  [[nodiscard]] bool wants_any() const { return wants_logprobs() || request_.pooling != Pooling::kNone; }
  // Tokens from here on have to be computed, whoever has done so before.
  [[nodiscard]] int n_reusable() const;
  // Of the tokens [start, end): how many of the last ones need a row of logits, or of hidden states.
  [[nodiscard]] int n_logits(int start, int end) const;
  [[nodiscard]] int n_hidden(int start, int end) const;

  // Rows of logits tell of the token after theirs: whether that of `position` is still wanted. If so, fill next_top()
  // if n_top() > 0, then push(). In order of positions.
  [[nodiscard]] bool wants_logprob(int position) const;
  [[nodiscard]] int n_top() const { return request_.n_prompt_logprobs; }
  std::vector<TokenLogprob>& next_top() { return top_[tokens_.size()]; }
  void push(TokenLogprob token);
  // [n][n_embd], in order of positions.
  void push_hidden(std::span<const float> rows, std::size_t n_embd);

  // What came since clear_logprobs().
  [[nodiscard]] bool has_logprobs() const { return !tokens_.empty(); }
  [[nodiscard]] PromptLogprobs logprobs() const;
  void clear_logprobs() { tokens_.clear(); }
  // Once all tokens were pushed. Empty where a value is not finite.
  [[nodiscard]] std::span<const float> embedding();

 private:
  [[nodiscard]] bool wants_logprobs() const { return request_.n_prompt_logprobs >= 0; }

  const Request& request_;
  const int n_prompt_;
  int next_;  // position of the next token to tell of
  std::vector<TokenLogprob> tokens_;
  std::vector<std::vector<TokenLogprob>> top_;
  int n_pooled_ = 0;
  std::vector<double> sums_;
  std::vector<float> embedding_;
};

}  // namespace reckon::engine
