#pragma once
// One request on its way: its tokens, its pages, and the rules by which its answer grows and ends.
// Owner: the mailbox until the engine thread takes it, then the scheduler. Thread: one at a time. Memory: made in
// prepare(); none later, except where a callback or a very long piece of text needs it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/answer_text.h"
#include "engine/prompt_results.h"
#include "engine/thought_tracker.h"
#include "kv/page_pool.h"
#include "reckon/engine.h"
#include "reckon/grammar.h"
#include "sample/loop_guard.h"
#include "sample/token_counts.h"

namespace reckon::engine {

using Clock = std::chrono::steady_clock;

// What all sequences of an engine share.
struct SequenceContext {
  const Tokenizer* tokenizer = nullptr;
  std::span<const TokenId> end_tokens;  // end of generation
  int n_context = 0;
  std::function<Clock::time_point()> now = Clock::now;
};

class Sequence {
 public:
  // The request is checked.
  Sequence(RequestId id, Request request, OnEvent on_event, const SequenceContext& context);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Makes all buffers. Before the first step; again after a preemption it does nothing.
  void prepare();
  [[nodiscard]] bool is_prepared() const { return text_.has_value(); }

  [[nodiscard]] RequestId id() const { return id_; }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] std::span<const TokenId> tokens() const { return tokens_; }  // prompt and answer
  [[nodiscard]] int n_tokens() const { return static_cast<int>(tokens_.size()); }
  [[nodiscard]] int n_generated() const { return n_tokens() - n_prompt_; }
  [[nodiscard]] int n_prompt() const { return n_prompt_; }
  [[nodiscard]] int n_thought() const { return thought_.n_tokens(); }
  [[nodiscard]] std::uint64_t client_key() const { return client_key_; }

  // The scheduler's: keys and values of tokens [0, n_computed) are in `pages`.
  std::vector<kv::PageId> pages;
  int n_computed = 0;
  int n_cached = 0;  // prompt tokens that were there at the first admission
  [[nodiscard]] int n_remaining() const { return n_tokens() - n_computed; }
  [[nodiscard]] int n_reusable() const;  // of tokens(): may be taken from what others computed
  // Has its prompt behind it, and only the newest token or a forced close to compute.
  [[nodiscard]] bool is_decoding() const { return n_generated() > 0 && n_remaining() <= kv::kPageTokens; }

  // Of the next n_tokens to compute: rows wanted for the last ones, of logits and of hidden states.
  [[nodiscard]] int n_logits(int n_tokens) const;
  [[nodiscard]] int n_hidden(int n_tokens) const;
  // Whether a token is to be chosen once all are computed; otherwise prompt_done() ends the sequence then.
  [[nodiscard]] bool wants_answer() const { return n_most_ > n_prompt_; }
  void prompt_done();
  [[nodiscard]] PromptResults& prompt_results() { return prompt_results_; }

  // Ends with kTimeout where one of the request's limits is over.
  void check_time(Clock::time_point now);

  // For the choice of the next token.
  // Whether the answer has begun and must obey a grammar: then the tokens that may come are those of fill_mask().
  [[nodiscard]] bool is_constrained();
  Result<void> fill_mask(std::span<std::uint64_t> mask) { return matcher_->fill_mask(mask); }
  [[nodiscard]] const sample::TokenCounts* counts() const { return counts_ ? &*counts_ : nullptr; }
  [[nodiscard]] std::span<const TokenId> forbidden() const;
  [[nodiscard]] bool wants_logprobs() const { return request_.n_top_logprobs >= 0; }

  // Where the log-probabilities of the token to accept go; then accept() it.
  std::vector<TokenLogprob>& next_top_logprobs();
  void accept(TokenId chosen, float logprob = 0);

  void close_thought(ThoughtEnd why);                                     // nothing where none is open
  void finish(Finish finish, std::optional<Error> error = std::nullopt);  // the first call counts
  [[nodiscard]] Finish finish_reason() const { return finish_; }
  [[nodiscard]] bool is_finished() const { return finish_ != Finish::kRunning; }
  [[nodiscard]] TimeLimit time_limit() const { return time_limit_; }
  [[nodiscard]] int n_loops() const { return n_loops_; }  // found by the guard
  [[nodiscard]] double seconds_since_prepared() const;    // 0: never was

  // Tells how many requests come first, where that is wanted and new. The callback may end the sequence.
  void deliver_queue_place(int place);
  // Hands over what came since the last call. The callback may end the sequence.
  void deliver();
  // Once, when it is finished and its place is free: the rest, then the last event.
  void deliver_end();

 private:
  void append(TokenId id, float logprob);
  void obey_grammar(TokenId id);
  void deliver_prompt_parts();
  void tell(Event event);
  void end_by_rules(TokenId chosen);
  bool call(const Event& event);
  void deliver_pieces();
  Event piece_event(std::size_t first_token, std::size_t end_token);
  void take_times();

  const RequestId id_;
  Request request_;
  OnEvent on_event_;
  const SequenceContext& context_;
  const int n_prompt_;
  const int n_most_;  // tokens of prompt and answer
  const std::uint64_t client_key_;

  std::vector<TokenId> tokens_;
  ThoughtTracker thought_;
  PromptResults prompt_results_;
  std::unique_ptr<GrammarMatcher> matcher_;
  bool obeys_grammar_ = false;  // from then on nothing is a thought, whatever it looks like
  std::optional<AnswerText> text_;
  std::optional<sample::LoopGuard> loop_guard_;
  std::optional<sample::TokenCounts> counts_;
  std::vector<TokenId> forbidden_early_;  // before min_new_tokens
  int n_loops_ = 0;
  bool in_forced_close_ = false;

  int n_progress_told_ = 0;
  int queue_place_told_ = -1;
  // Since the last deliver(), by token.
  std::size_t n_delivered_ = 0;  // of tokens_, n_prompt_ included
  std::vector<bool> sides_;      // in_thought
  std::vector<TokenLogprob> logprobs_;
  std::vector<std::vector<TokenLogprob>> top_logprobs_;  // only grows, so that the inner ones keep their memory

  bool is_unwanted_ = false;  // the callback said so: it only gets the end
  Finish finish_ = Finish::kRunning;
  bool is_text_complete_ = false;  // a stop string came, or all that was held back is out
  std::optional<Error> error_;
  TimeLimit time_limit_ = TimeLimit::kNone;
  RequestTimings timings_;
  Clock::time_point submitted_;
  std::optional<Clock::time_point> prepared_;
  std::optional<Clock::time_point> first_token_;
};

}  // namespace reckon::engine
