#include "engine/sequence.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sample/penalties.h"

namespace reckon::engine {
namespace {

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

bool contains(std::span<const TokenId> ids, TokenId id) { return std::ranges::find(ids, id) != ids.end(); }

int most_tokens(const Request& request, int n_context) {
  const int n_prompt = static_cast<int>(request.prompt.size());
  return n_prompt + std::min(request.max_new_tokens, n_context - n_prompt);
}

}  // namespace

Sequence::Sequence(RequestId id, Request request, OnEvent on_event, const SequenceContext& context)
    : id_(id),
      request_(std::move(request)),
      on_event_(std::move(on_event)),
      context_(context),
      n_prompt_(static_cast<int>(request_.prompt.size())),
      n_most_(most_tokens(request_, context.n_context)),
      tokens_(std::move(request_.prompt)),
      thought_(request_.thought),
      n_delivered_(tokens_.size()) {
  if (n_most_ == n_prompt_) finish(Finish::kLength);
}

void Sequence::prepare() {
  if (is_prepared()) return;
  prepared_ = Clock::now();
  const auto n_most = static_cast<std::size_t>(n_most_);
  const std::size_t n_burst = thought_.forced_close().size() + 1;  // most tokens between two calls of deliver()
  tokens_.reserve(n_most);
  pages.reserve((n_most + kv::kPageTokens - 1) / kv::kPageTokens);
  sides_.reserve(2 * n_burst);
  text_.emplace(*context_.tokenizer, request_.stop);
  if (request_.loop_guard) loop_guard_.emplace();
  if (sample::has_penalties(request_.sample)) {
    counts_.emplace(n_most);
    for (const TokenId token : tokens_) counts_->add_prompt(token);
  }
  if (wants_logprobs()) {
    logprobs_.reserve(2 * n_burst);
    top_logprobs_.resize(2 * n_burst);
    for (auto& list : top_logprobs_) list.reserve(static_cast<std::size_t>(request_.n_top_logprobs));
  }
  if (request_.min_new_tokens > 0) {
    forbidden_early_.assign(context_.end_tokens.begin(), context_.end_tokens.end());
    forbidden_early_.insert(forbidden_early_.end(), request_.stop_tokens.begin(), request_.stop_tokens.end());
  }
  if (thought_.over_budget(n_most_ - n_tokens())) close_thought(ThoughtEnd::kBudget);  // no thinking at all
}

std::span<const TokenId> Sequence::forbidden() const {
  if (n_generated() < request_.min_new_tokens) return forbidden_early_;
  return request_.ignore_eos ? context_.end_tokens : std::span<const TokenId>();
}

std::vector<TokenLogprob>& Sequence::next_top_logprobs() {
  const std::size_t i = logprobs_.size();
  if (i >= top_logprobs_.size()) top_logprobs_.resize(i + 1);
  return top_logprobs_[i];
}

void Sequence::accept(TokenId chosen, float logprob) {
  RECKON_CHECK(is_prepared() && !is_finished());
  if (!first_token_) first_token_ = Clock::now();
  append(chosen, logprob);
  if (!is_finished()) end_by_rules(chosen);
}

// Books a token, whether chosen or fed in.
void Sequence::append(TokenId id, float logprob) {
  RECKON_CHECK(n_tokens() < n_most_);
  tokens_.push_back(id);
  if (counts_) counts_->add_answer(id);
  if (wants_logprobs()) logprobs_.push_back({id, logprob});
  const bool in_thought = thought_.push(tokens().subspan(static_cast<std::size_t>(n_prompt_)));
  sides_.push_back(in_thought);

  if (!in_forced_close_ && (contains(context_.end_tokens, id) || contains(request_.stop_tokens, id))) {
    finish(Finish::kStop);
    return;
  }
  const bool is_mark = contains(request_.thought.open, id) || contains(request_.thought.close, id);
  if (!context_.tokenizer->is_control(id) || is_mark) {
    const bool may_stop = n_generated() > request_.min_new_tokens && (!in_thought || request_.stop_in_thought);
    if (text_->push(id, {.in_thought = in_thought, .may_stop = may_stop})) {
      is_text_complete_ = true;
      finish(Finish::kStop);
      return;
    }
  }
  if (n_tokens() == n_most_) finish(Finish::kLength);
}

void Sequence::end_by_rules(TokenId chosen) {
  if (loop_guard_ && loop_guard_->push(chosen) > 0) {
    // The guard starts anew after the thought; a second loop is the answer's, or shows that closing did not help.
    ++n_loops_;
    if (thought_.can_close() && n_loops_ == 1) {
      close_thought(ThoughtEnd::kLoop);
    } else {
      finish(Finish::kRepetition);
    }
    return;
  }
  if (thought_.over_budget(n_most_ - n_tokens())) close_thought(ThoughtEnd::kBudget);
}

void Sequence::close_thought(ThoughtEnd why) {
  if (!is_prepared()) {  // still waiting: there will be no thought
    request_.thought.max_tokens = 0;
    return;
  }
  if (is_finished() || !thought_.can_close()) return;
  in_forced_close_ = true;
  for (const TokenId id : thought_.forced_close()) {
    if (wants_logprobs()) next_top_logprobs().clear();
    append(id, 0);
    if (is_finished()) break;
  }
  in_forced_close_ = false;
  thought_.closed(why);
  if (loop_guard_) loop_guard_->reset();
}

void Sequence::finish(Finish finish, std::optional<Error> error) {
  if (is_finished()) return;
  finish_ = finish;
  error_ = std::move(error);
}

void Sequence::take_times() {
  const auto now = Clock::now();
  timings_.queue_ms = ms_between(submitted_, prepared_.value_or(now));
  timings_.prefill_ms = prepared_ ? ms_between(*prepared_, first_token_.value_or(now)) : 0;
  timings_.decode_ms = first_token_ ? ms_between(*first_token_, now) : 0;
  timings_.n_prompt = n_prompt_;
  timings_.n_cached = n_cached;
  timings_.n_generated = n_generated();
  timings_.n_thought = thought_.n_tokens();
}

// Foreign code: whatever it throws only cancels its own request.
bool Sequence::call(const Event& event) {
  try {
    return on_event_(event);
  } catch (...) {
    return false;
  }
}

Event Sequence::piece_event(std::size_t first_token, std::size_t end_token) {
  Event event;
  event.id = id_;
  event.thought_end = thought_.end();
  event.tokens = tokens().subspan(n_delivered_ + first_token, end_token - first_token);
  if (wants_logprobs()) {
    event.logprobs = std::span(logprobs_).subspan(first_token, end_token - first_token);
    event.top_logprobs = std::span(top_logprobs_).subspan(first_token, end_token - first_token);
  }
  return event;
}

void Sequence::deliver() {
  if (!is_prepared()) return;
  if (is_finished() && !is_text_complete_) {
    text_->finish(finish_ != Finish::kStop && finish_ != Finish::kRepetition);
    is_text_complete_ = true;
  }
  deliver_pieces();
  text_->clear_taken();
  n_delivered_ = tokens_.size();
  sides_.clear();
  logprobs_.clear();
}

// Texts and tokens of one side make one event. Held-back text of the thought may come with no token.
void Sequence::deliver_pieces() {
  std::size_t i_token = 0;
  while (text_->has_piece() || i_token < sides_.size()) {
    const auto piece = text_->take_piece();
    const bool side = piece ? piece->in_thought : sides_[i_token];
    std::size_t end = i_token;
    while (end < sides_.size() && sides_[end] == side) ++end;
    Event event = piece_event(i_token, end);
    event.in_thought = side;
    if (piece) event.text = piece->text;
    i_token = end;
    if (!is_unwanted_ && !call(event)) {
      is_unwanted_ = true;
      finish_ = Finish::kCancelled;
    }
  }
}

void Sequence::deliver_end() {
  deliver();
  take_times();
  Event event;
  event.id = id_;
  event.in_thought = thought_.inside();
  event.thought_end = thought_.end();
  event.finish = finish_;
  event.error = error_ ? &*error_ : nullptr;
  event.timings = &timings_;
  call(event);
}

}  // namespace reckon::engine
