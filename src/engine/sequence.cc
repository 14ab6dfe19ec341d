#include "engine/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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
      client_key_(std::hash<std::string>()(request_.client)),
      tokens_(std::move(request_.prompt)),
      thought_(request_.thought),
      prompt_results_(request_, n_prompt_),
      n_delivered_(tokens_.size()),
      submitted_(context.now()) {
  if (!wants_answer() && !request_.idle && !prompt_results_.wants_any()) finish(Finish::kLength);
}

void Sequence::prepare() {
  if (is_prepared()) return;
  prepared_ = context_.now();
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
  prompt_results_.prepare();
  if (request_.grammar) matcher_ = request_.grammar->matcher();
  if (wants_answer() && thought_.over_budget(n_most_ - n_tokens()))
    close_thought(ThoughtEnd::kBudget);  // no thinking at all
}

// The newest token is always computed, since its logits are not in the pages.
int Sequence::n_reusable() const {
  return n_generated() > 0 ? n_tokens() - 1 : std::min(n_tokens() - 1, prompt_results_.n_reusable());
}

int Sequence::n_logits(int n) const {
  const int end = n_computed + n;
  const int n_last = wants_answer() && end == n_tokens() ? 1 : 0;
  return std::max(n_last, n_computed < n_prompt_ ? prompt_results_.n_logits(n_computed, end) : 0);
}

int Sequence::n_hidden(int n) const { return prompt_results_.n_hidden(n_computed, n_computed + n); }

void Sequence::prompt_done() { finish(Finish::kLength); }

void Sequence::check_time(Clock::time_point now) {
  if (is_finished()) return;
  const double ms = ms_between(submitted_, now);
  const auto is_over = [ms](const std::optional<int>& limit) { return limit && ms >= *limit; };
  if (!prepared_ && is_over(request_.queue_ms)) {
    time_limit_ = TimeLimit::kQueue;
  } else if (!first_token_ && is_over(request_.first_token_ms)) {
    time_limit_ = TimeLimit::kFirstToken;
  } else if (is_over(request_.total_ms)) {
    time_limit_ = TimeLimit::kTotal;
  } else {
    return;
  }
  finish(Finish::kTimeout);
}

double Sequence::seconds_since_prepared() const {
  return prepared_ ? ms_between(*prepared_, context_.now()) / 1000 : 0;
}

bool Sequence::is_constrained() {
  if (matcher_ && !thought_.inside()) obeys_grammar_ = true;
  return obeys_grammar_;
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
  if (!first_token_) first_token_ = context_.now();
  append(chosen, logprob);
  if (!is_finished()) end_by_rules(chosen);
}

// Books a token, whether chosen or fed in.
void Sequence::append(TokenId id, float logprob) {
  RECKON_CHECK(n_tokens() < n_most_);
  tokens_.push_back(id);
  if (counts_) counts_->add_answer(id);
  if (wants_logprobs()) logprobs_.push_back({id, logprob});
  const bool in_thought = !obeys_grammar_ && thought_.push(tokens().subspan(static_cast<std::size_t>(n_prompt_)));
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
  if (obeys_grammar_) obey_grammar(id);
  if (n_tokens() == n_most_) finish(Finish::kLength);
}

void Sequence::obey_grammar(TokenId id) {
  if (!matcher_->accept(id)) {
    finish(Finish::kFailed,
           Error{ErrorCode::kInternal, fmt::format("the grammar refused token {}, which its mask allowed", id)});
  } else if (matcher_->must_end()) {
    finish(Finish::kStop);
  }
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
  const auto now = context_.now();
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

void Sequence::tell(Event event) {
  event.id = id_;
  event.in_thought = thought_.inside();
  if (is_unwanted_ || call(event)) return;
  is_unwanted_ = true;
  finish_ = Finish::kCancelled;
}

void Sequence::deliver_queue_place(int place) {
  if (!request_.progress_events || place == queue_place_told_ || is_finished()) return;
  queue_place_told_ = place;
  tell({.queue_place = place});
}

void Sequence::deliver() {
  if (!is_prepared()) return;
  if (is_finished() && !is_text_complete_) {
    text_->finish(finish_ != Finish::kStop && finish_ != Finish::kRepetition);
    is_text_complete_ = true;
  }
  deliver_prompt_parts();
  deliver_pieces();
  text_->clear_taken();
  n_delivered_ = tokens_.size();
  sides_.clear();
  logprobs_.clear();
}

void Sequence::deliver_prompt_parts() {
  const PrefillProgress progress{.n_done = std::min(n_computed, n_prompt_), .n_total = n_prompt_, .n_cached = n_cached};
  if (request_.progress_events && progress.n_done > n_progress_told_) {
    n_progress_told_ = progress.n_done;
    tell({.prefill = &progress});
  }
  if (prompt_results_.has_logprobs()) {
    const PromptLogprobs logprobs = prompt_results_.logprobs();
    tell({.prompt_logprobs = &logprobs});
    prompt_results_.clear_logprobs();
  }
  if (finish_ == Finish::kLength && n_remaining() == 0 && request_.pooling != Pooling::kNone) {
    const auto embedding = prompt_results_.embedding();
    if (embedding.empty()) {
      finish_ = Finish::kFailed;
      error_ = Error{ErrorCode::kInternal, "the model computed hidden states that are not numbers"};
    } else {
      tell({.embedding = embedding});
    }
  }
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
  event.time_limit = time_limit_;
  event.error = error_ ? &*error_ : nullptr;
  event.timings = &timings_;
  call(event);
}

}  // namespace reckon::engine
