#include "server/running_answer.h"

#include <algorithm>
#include <utility>

namespace reckon::server {
namespace {

std::vector<TokenText> tokens_of(const Event& event) {
  std::vector<TokenText> tokens;
  tokens.reserve(event.logprobs.size());
  for (std::size_t i = 0; i < event.logprobs.size(); ++i) {
    TokenText token{.chosen = event.logprobs[i], .top = {}, .in_thought = event.in_thought};
    if (i < event.top_logprobs.size()) token.top = event.top_logprobs[i];
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void append(ChoiceResult& result, const Piece& piece) {
  result.reasoning += piece.text.reasoning;
  result.content += piece.text.content;
  result.tool_calls.insert(result.tool_calls.end(), piece.text.calls.begin(), piece.text.calls.end());
  result.tokens.insert(result.tokens.end(), piece.tokens.begin(), piece.tokens.end());
}

}  // namespace

RunningAnswer::RunningAnswer(Engine& engine, Setup setup) : engine_(engine), setup_(std::move(setup)) {}

Result<void> RunningAnswer::start(std::vector<Sequence> sequences) {
  n_left_ = sequences.size();
  const std::size_t n_first = std::min(sequences.size(), setup_.max_in_flight);
  n_started_ = n_first;
  choices_.reserve(sequences.size());
  for (Sequence& sequence : sequences) {
    choices_.push_back(
        {.splitter = std::move(sequence.splitter), .result = {}, .request = std::move(sequence.request)});
  }
  for (std::size_t i = 0; i < n_first; ++i) {
    if (auto submitted = submit(i); !submitted) {
      refused_ = true;
      cancel();
      return submitted;
    }
  }
  return {};
}

Result<void> RunningAnswer::submit(std::size_t index) {
  const auto on_event = [self = shared_from_this(), index](const Event& event) { return self->on_event(index, event); };
  const auto id = engine_.submit(std::move(choices_[index].request), on_event);
  if (!id) return std::unexpected(id.error());
  const std::scoped_lock lock(mutex_);
  ids_.push_back(*id);
  // The client left in between: cancel() did not know this one yet.
  if (cancelled_) engine_.cancel(*id);
  return {};
}

// One has ended: its place is free, and nobody can take it who does not submit at this very moment.
void RunningAnswer::start_next() {
  while (n_started_ < choices_.size()) {
    const std::size_t index = n_started_++;
    Event refused;
    refused.finish = Finish::kCancelled;
    Error error;
    if (!cancelled_) {
      auto submitted = submit(index);
      if (submitted) return;
      error = std::move(submitted).error();
      refused.finish = Finish::kFailed;
      refused.error = &error;
    }
    end_choice(index, refused);
  }
}

void RunningAnswer::cancel() {
  cancelled_ = true;
  const std::scoped_lock lock(mutex_);
  for (const RequestId id : ids_) engine_.cancel(id);
}

void RunningAnswer::close_thoughts() {
  const std::scoped_lock lock(mutex_);
  for (const RequestId id : ids_) engine_.close_thought(id);
}

bool RunningAnswer::on_event(std::size_t index, const Event& event) {
  if (refused_) return false;
  Choice& choice = choices_[index];
  take_prompt_events(index, event);
  note_times(choice, event);
  Piece piece{.text = choice.splitter.push(event.text), .tokens = tokens_of(event)};
  if (event.finish != Finish::kRunning) {
    piece.text.append(choice.splitter.finish());
  }
  if (!piece.empty()) {
    append(choice.result, piece);
    if (!setup_.listener->on_piece(index, piece)) cancelled_ = true;
  }
  if (event.finish == Finish::kRunning) return !cancelled_;
  end_choice(index, event);
  start_next();
  if (n_left_ == 0) end();
  return true;
}

void RunningAnswer::take_prompt_events(std::size_t index, const Event& event) {
  ChoiceResult& result = choices_[index].result;
  if (event.queue_place) setup_.listener->on_queue_place(index, *event.queue_place);
  if (event.prefill != nullptr) setup_.listener->on_progress(index, *event.prefill);
  if (!event.embedding.empty()) result.embedding.assign(event.embedding.begin(), event.embedding.end());
  if (event.prompt_logprobs == nullptr) return;
  const PromptLogprobs& logprobs = *event.prompt_logprobs;
  for (std::size_t i = 0; i < logprobs.tokens.size(); ++i) {
    TokenText token{.chosen = logprobs.tokens[i], .top = {}, .in_thought = false};
    if (i < logprobs.top.size()) token.top = logprobs.top[i];
    result.prompt_tokens.push_back(std::move(token));
  }
}

void RunningAnswer::note_times(Choice& choice, const Event& event) const {
  if (event.tokens.empty() && event.text.empty()) return;
  const double now = std::chrono::duration<double, std::milli>(Clock::now() - setup_.arrival).count();
  ChoiceResult& result = choice.result;
  if (result.first_token_ms == 0) result.first_token_ms = now;
  if (event.in_thought) {
    if (choice.thought_start_ms < 0) choice.thought_start_ms = now;
    result.thinking_ms = now - choice.thought_start_ms;
  } else if (result.first_answer_ms == 0) {
    result.first_answer_ms = now;
  }
}

void RunningAnswer::end_choice(std::size_t index, const Event& event) {
  ChoiceResult& result = choices_[index].result;
  result.finish = event.finish;
  result.time_limit = event.time_limit;
  result.thought_end = event.thought_end;
  result.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - setup_.arrival).count();
  if (event.timings != nullptr) result.timings = *event.timings;
  if (event.error != nullptr) result.error = *event.error;
  setup_.listener->on_choice_end(index, result);
  --n_left_;
}

void RunningAnswer::end() {
  std::vector<ChoiceResult> results;
  results.reserve(choices_.size());
  for (Choice& choice : choices_) results.push_back(std::move(choice.result));
  if (setup_.on_over) setup_.on_over();
  setup_.listener->on_end(results);
}

}  // namespace reckon::server
