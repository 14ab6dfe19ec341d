#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace reckon::engine {
namespace {

constexpr int kLeastShare = 16;  // of a step, for one prompt: smaller spans cost more than they bring

int part_of(int whole, std::size_t n_parts) {
  const int n = static_cast<int>(n_parts);
  return std::min(whole, std::max(kLeastShare, (whole + n - 1) / n));
}

}  // namespace

Scheduler::Scheduler(kv::PagePool& pool, kv::PrefixIndex* index, const Limits& limits)
    : limits_(limits), pages_(pool, index) {
  const auto n = static_cast<std::size_t>(limits.max_sequences);
  running_.reserve(n);
  work_.reserve(n);
  spans_.reserve(n);
  prefilling_.reserve(n);
}

Scheduler::~Scheduler() {
  for (const auto& sequence : running_) pages_.drop(*sequence);
  for (const auto& sequence : idle_) pages_.drop(*sequence);
}

void Scheduler::add(std::unique_ptr<Sequence> sequence) {
  if (!sequence->request().idle) {
    for (const auto& idle : idle_) {
      if (idle->client_key() == sequence->client_key()) idle->finish(Finish::kCancelled);
    }
    waiting_.add(std::move(sequence));
    return;
  }
  if (!pages_.has_index()) sequence->finish(Finish::kCancelled);  // nowhere to keep it
  idle_.push_back(std::move(sequence));
  if (idle_.size() > kMostIdle) idle_[idle_.size() - 1 - kMostIdle]->finish(Finish::kCancelled);
}

Sequence* Scheduler::find(RequestId id) const {
  for (const auto& sequence : running_) {
    if (sequence->id() == id) return sequence.get();
  }
  for (const auto& sequence : idle_) {
    if (sequence->id() == id) return sequence.get();
  }
  return waiting_.find(id);
}

int Scheduler::n_decoding() const {
  const auto n = std::ranges::count_if(running_, [](const auto& sequence) { return sequence->is_decoding(); });
  return static_cast<int>(n);
}

void Scheduler::check_times(Clock::time_point now) {
  for (const auto& sequence : running_) sequence->check_time(now);
  for (const auto& sequence : idle_) sequence->check_time(now);
  waiting_.for_each([now](Sequence& sequence) { sequence.check_time(now); });
}

Scheduler::Plan Scheduler::plan(const PrefillLimits& limits) {
  work_.clear();
  spans_.clear();
  n_left_ = limits_.max_step_tokens;
  n_logits_left_ = limits_.max_step_logits;
  Plan plan;
  if (running_.empty() && waiting_.is_empty()) {
    plan_idle(limits.idle);
    plan.is_idle = true;
  } else {
    pause_idle();
    admit();
    plan_decoding();
    for (const Work& work : work_) plan.n_decode += work.n_tokens;
    plan_prefill(limits.normal);
  }
  plan.n_prefill = limits_.max_step_tokens - n_left_ - plan.n_decode;
  plan.work = work_;
  plan.spans = spans_;
  return plan;
}

void Scheduler::admit() {
  while (!waiting_.is_empty() && n_running() < limits_.max_sequences) {
    Sequence& next = waiting_.next();
    // Each running sequence may want a page soon; an admission that would only push another one out is none.
    if (!next.is_finished() && !pages_.admit(next, {.n_spare = n_running(), .whatever = running_.empty()})) return;
    running_.push_back(waiting_.take_next());
  }
}

void Scheduler::plan_idle(int limit) {
  // Those that have ended are still here if they ended since the last remove_finished().
  if (idle_.empty() || idle_.front()->is_finished()) return;
  Sequence& sequence = *idle_.front();
  if (sequence.pages.empty() && !pages_.admit(sequence, {})) {
    sequence.finish(Finish::kCancelled);
    return;
  }
  const int n_tokens = std::min({limit, n_left_, sequence.n_remaining()});
  if (!plan_span(sequence, n_tokens) && !sequence.is_finished()) sequence.finish(Finish::kCancelled);
}

void Scheduler::pause_idle() {
  if (idle_.empty() || idle_.front()->pages.empty()) return;
  pages_.keep_and_drop(*idle_.front());
  idle_.front()->n_computed = 0;
}

void Scheduler::plan_decoding() {
  // By index: growing may put back the youngest, at the end.
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    if (sequence.is_finished() || !sequence.is_decoding()) continue;
    if (n_left_ == 0) return;
    plan_span(sequence, std::min(sequence.n_remaining(), n_left_));
  }
}

// Those that compute their prompt and need not wait for another; those of one client one after the other.
void Scheduler::gather_prefilling() {
  prefilling_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    if (sequence.is_finished() || sequence.is_decoding()) continue;
    const auto older = std::span(running_).first(i);
    pages_.take_over(sequence, older);
    if (pages_.waits_for(sequence, older)) continue;
    const auto is_same = [&](const Sequence* other) { return other->client_key() == sequence.client_key(); };
    const auto last = std::find_if(prefilling_.rbegin(), prefilling_.rend(), is_same);
    prefilling_.insert(last == prefilling_.rend() ? prefilling_.end() : last.base(), &sequence);
  }
}

void Scheduler::plan_prefill(int limit) {
  gather_prefilling();
  if (prefilling_.empty()) return;
  const auto n_same = [this](std::size_t first) {
    std::size_t n = 1;
    while (first + n < prefilling_.size() && prefilling_[first + n]->client_key() == prefilling_[first]->client_key())
      ++n;
    return n;
  };
  std::size_t n_clients = 0;
  for (std::size_t i = 0; i < prefilling_.size(); i += n_same(i)) ++n_clients;
  // The client whose turn it is comes first.
  std::size_t first = 0;
  for (std::size_t skip = ++next_share_ % n_clients; skip > 0; --skip) first += n_same(first);
  int left = std::min(limit, n_left_);
  for (; n_clients > 0 && left > 0; --n_clients) {
    const std::size_t n = n_same(first);
    left -= plan_client(std::span(prefilling_).subspan(first, n), part_of(left, n_clients));
    first = (first + n) % prefilling_.size();
  }
}

int Scheduler::plan_client(std::span<Sequence* const> prompts, int share) {
  int left = share;
  const std::size_t n = prompts.size();
  for (std::size_t i = 0; i < n && left > 0; ++i) {
    Sequence* sequence = prompts[(next_share_ + i) % n];
    // Growing for an earlier one may have put this one back.
    const auto is_running = [&](const auto& running) { return running.get() == sequence; };
    if (std::ranges::none_of(running_, is_running)) continue;
    left -= plan_share(*sequence, part_of(left, n - i));
  }
  return share - left;
}

int Scheduler::plan_share(Sequence& sequence, int share) {
  int n_tokens = std::min(share, sequence.n_remaining());
  const int end = sequence.n_computed + n_tokens;
  const int end_of_page = end / kv::kPageTokens * kv::kPageTokens;
  // A cut between pages lets others take the page over at once.
  if (n_tokens < sequence.n_remaining() && end_of_page > sequence.n_computed)
    n_tokens = end_of_page - sequence.n_computed;
  const std::size_t n_planned = work_.size();
  return plan_span(sequence, n_tokens) && work_.size() > n_planned ? work_.back().n_tokens : 0;
}

bool Scheduler::plan_span(Sequence& sequence, int n_tokens) {
  // The last ones in a later step, where too few rows of logits are left.
  while (n_tokens > 0 && sequence.n_logits(n_tokens) > n_logits_left_) --n_tokens;
  if (n_tokens <= 0) return false;
  const int end = sequence.n_computed + n_tokens;
  switch (grow(sequence, end)) {
    case Grown::kYes:
      break;
    case Grown::kNotNow:
      return false;
    case Grown::kNever:
      sequence.finish(Finish::kLength);
      return false;
  }
  const Work work{.sequence = &sequence,
                  .n_tokens = n_tokens,
                  .n_logits = sequence.n_logits(n_tokens),
                  .n_hidden = sequence.n_hidden(n_tokens)};
  n_logits_left_ -= work.n_logits;
  n_left_ -= n_tokens;
  work_.push_back(work);
  spans_.push_back({.tokens = sequence.tokens().subspan(static_cast<std::size_t>(sequence.n_computed),
                                                        static_cast<std::size_t>(n_tokens)),
                    .start = sequence.n_computed,
                    .pages = std::span(sequence.pages).first(static_cast<std::size_t>(pages_for(end))),
                    .n_logits = work.n_logits,
                    .n_hidden = work.n_hidden});
  return true;
}

// Takes pages for positions [0, n_positions), from younger sequences if need be.
Scheduler::Grown Scheduler::grow(Sequence& sequence, int n_positions) {
  while (static_cast<int>(sequence.pages.size()) < pages_for(n_positions)) {
    if (const auto page = pages_.take_page()) {
      sequence.pages.push_back(*page);
      continue;
    }
    if (n_running() <= 1) return Grown::kNever;
    Sequence* victim = youngest_unplanned();
    if (victim == nullptr) return Grown::kNotNow;
    const bool is_self = victim == &sequence;
    if (is_self && &sequence == running_.front().get()) return Grown::kNotNow;
    put_back(*victim);
    if (is_self) return Grown::kNotNow;
  }
  return Grown::kYes;
}

// A planned sequence's pages are in the step, so it stays.
Sequence* Scheduler::youngest_unplanned() {
  for (std::size_t i = running_.size(); i-- > 0;) {
    Sequence* candidate = running_[i].get();
    const auto is_it = [&](const Work& work) { return work.sequence == candidate; };
    if (!candidate->is_finished() && std::ranges::none_of(work_, is_it)) return candidate;
  }
  return nullptr;
}

void Scheduler::put_back(Sequence& sequence) {
  const auto at = std::ranges::find_if(running_, [&](const auto& running) { return running.get() == &sequence; });
  RECKON_CHECK(at != running_.end());
  pages_.drop(sequence);
  sequence.n_computed = 0;
  waiting_.put_back(std::move(*at));
  running_.erase(at);
  ++n_preemptions_;
}

void Scheduler::computed(const Work& work) {
  const int n_before = work.sequence->n_computed;
  work.sequence->n_computed += work.n_tokens;
  pages_.keep_computed(*work.sequence, n_before);
}

void Scheduler::remove_finished(const std::function<void(std::unique_ptr<Sequence>)>& done) {
  const auto give_back = [this](Sequence& sequence) {
    if (sequence.finish_reason() == Finish::kFailed) {
      pages_.drop(sequence);
    } else {
      pages_.keep_and_drop(sequence);
    }
  };
  const auto take_from = [&](auto& sequences) {
    for (std::size_t i = 0; i < sequences.size();) {
      if (!sequences[i]->is_finished()) {
        ++i;
        continue;
      }
      auto sequence = std::move(sequences[i]);
      sequences.erase(sequences.begin() + static_cast<std::ptrdiff_t>(i));
      give_back(*sequence);
      done(std::move(sequence));
    }
  };
  take_from(running_);
  take_from(idle_);
  waiting_.take_finished(done);
}

void Scheduler::finish_all(Finish finish, const std::optional<Error>& error) {
  for (const auto& sequence : running_) sequence->finish(finish, error);
  for (const auto& sequence : idle_) sequence->finish(finish, error);
  waiting_.for_each([&](Sequence& sequence) { sequence.finish(finish, error); });
}

}  // namespace reckon::engine
