#include "engine/scheduler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace reckon::engine {
namespace {

constexpr int kLeastShare = 16;  // of a step, for one prompt: smaller spans cost more than they bring

int pages_for(int n_tokens) { return (n_tokens + kv::kPageTokens - 1) / kv::kPageTokens; }

}  // namespace

Scheduler::Scheduler(kv::PagePool& pool, kv::PrefixIndex* index, const Limits& limits)
    : pool_(pool), index_(index), limits_(limits) {
  const auto n = static_cast<std::size_t>(limits.max_sequences);
  running_.reserve(n);
  work_.reserve(n);
  spans_.reserve(n);
  prefilling_.reserve(n);
  found_.reserve(static_cast<std::size_t>(pool.n_pages()));
}

Scheduler::~Scheduler() {
  for (const auto& sequence : running_) drop_pages(*sequence);
}

void Scheduler::add(std::unique_ptr<Sequence> sequence) { waiting_.push_back(std::move(sequence)); }

Sequence* Scheduler::find(RequestId id) const {
  for (const auto& sequence : running_) {
    if (sequence->id() == id) return sequence.get();
  }
  for (const auto& sequence : waiting_) {
    if (sequence->id() == id) return sequence.get();
  }
  return nullptr;
}

bool Scheduler::any_decoding() const {
  return std::ranges::any_of(running_, [](const auto& sequence) { return sequence->is_decoding(); });
}

Scheduler::Plan Scheduler::plan(int prefill_limit) {
  work_.clear();
  spans_.clear();
  n_left_ = limits_.max_step_tokens;
  n_logits_left_ = limits_.max_step_logits;
  admit();
  plan_decoding();
  Plan plan;
  for (const Work& work : work_) plan.n_decode += work.n_tokens;
  plan_prefill(prefill_limit);
  plan.n_prefill = limits_.max_step_tokens - n_left_ - plan.n_decode;
  plan.work = work_;
  plan.spans = spans_;
  return plan;
}

void Scheduler::admit() {
  while (!waiting_.empty() && n_running() < limits_.max_sequences) {
    if (!waiting_.front()->is_finished() && !admit_one(*waiting_.front())) return;
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

// Takes the pages that are there already, if the others can be had too.
bool Scheduler::admit_one(Sequence& sequence) {
  kv::PrefixIndex::Partial partial;
  // The newest token is always computed: its logits are not in the pages.
  const auto reusable = sequence.tokens().first(sequence.tokens().size() - 1);
  found_.clear();
  if (index_ != nullptr) partial = index_->lookup(reusable, found_);
  const int n_needed = pages_for(sequence.n_tokens() + 1) - static_cast<int>(found_.size());
  const int n_available = pool_.n_free() + (index_ != nullptr ? index_->n_evictable() : 0);
  // Each running sequence may want a page soon; an admission that would only push another one out is none.
  if (n_needed + n_running() > n_available && n_running() > 0) {
    for (const kv::PageId page : found_) pool_.drop(page);
    if (partial.page >= 0) pool_.drop(partial.page);
    return false;
  }
  const bool is_first_time = !sequence.is_prepared();
  sequence.prepare();
  sequence.pages.assign(found_.begin(), found_.end());
  sequence.n_computed = static_cast<int>(found_.size()) * kv::kPageTokens;
  if (partial.page >= 0) copy_partial(sequence, partial);
  if (is_first_time) {
    sequence.n_cached = std::min(sequence.n_computed, sequence.n_prompt());
    n_cached_tokens_ += static_cast<std::uint64_t>(sequence.n_cached);
  }
  return true;
}

void Scheduler::copy_partial(Sequence& sequence, const kv::PrefixIndex::Partial& partial) {
  if (const auto page = take_page()) {
    std::memcpy(pool_.data(*page), pool_.data(partial.page), pool_.page_bytes());
    sequence.pages.push_back(*page);
    sequence.n_computed += partial.n_tokens;
  }
  pool_.drop(partial.page);
}

// Pages that another sequence has computed since this one was admitted.
void Scheduler::take_over_computed(Sequence& sequence) {
  if (index_ == nullptr || sequence.n_computed % kv::kPageTokens != 0) return;
  found_.clear();
  const auto partial = index_->lookup(sequence.tokens().first(sequence.tokens().size() - 1), found_);
  if (partial.page >= 0) pool_.drop(partial.page);
  const int n_found = static_cast<int>(found_.size()) * kv::kPageTokens;
  if (n_found <= sequence.n_computed) {
    for (const kv::PageId page : found_) pool_.drop(page);
    return;
  }
  drop_pages(sequence);
  sequence.pages.assign(found_.begin(), found_.end());
  const int n_gained = n_found - sequence.n_computed;
  sequence.n_computed = n_found;
  if (sequence.n_generated() == 0) {
    sequence.n_cached += n_gained;
    n_cached_tokens_ += static_cast<std::uint64_t>(n_gained);
  }
}

// Whether an older sequence is at the very page that this one would compute next.
bool Scheduler::waits_for_other(std::size_t i_running) const {
  const Sequence& sequence = *running_[i_running];
  const int end = sequence.n_computed + kv::kPageTokens;
  if (index_ == nullptr || sequence.n_computed % kv::kPageTokens != 0 || end >= sequence.n_tokens()) return false;
  const auto path = sequence.tokens().first(static_cast<std::size_t>(end));
  for (std::size_t i = 0; i < i_running; ++i) {
    const Sequence& older = *running_[i];
    if (older.is_finished() || older.n_computed >= end || older.n_tokens() < end) continue;
    if (std::ranges::equal(older.tokens().first(path.size()), path)) return true;
  }
  return false;
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

void Scheduler::plan_prefill(int limit) {
  prefilling_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    if (sequence.is_finished() || sequence.is_decoding()) continue;
    take_over_computed(sequence);
    if (!waits_for_other(i)) prefilling_.push_back(&sequence);
  }
  int left = std::min(limit, n_left_);
  const std::size_t n = prefilling_.size();
  ++next_share_;
  for (std::size_t i = 0; i < n && left > 0; ++i) {
    Sequence& sequence = *prefilling_[(next_share_ + i) % n];
    // Growing for an earlier one may have put this one back.
    const auto is_running = [&](const auto& running) { return running.get() == &sequence; };
    if (std::ranges::none_of(running_, is_running)) continue;
    const int n_sharing = static_cast<int>(n - i);
    const int share = std::min(left, std::max(kLeastShare, (left + n_sharing - 1) / n_sharing));
    left -= plan_share(sequence, share);
  }
}

int Scheduler::plan_share(Sequence& sequence, int share) {
  int n_tokens = std::min(share, sequence.n_remaining());
  const int end = sequence.n_computed + n_tokens;
  const int end_of_page = end / kv::kPageTokens * kv::kPageTokens;
  // A cut between pages lets others take the page over at once.
  if (n_tokens < sequence.n_remaining() && end_of_page > sequence.n_computed)
    n_tokens = end_of_page - sequence.n_computed;
  return plan_span(sequence, n_tokens) ? n_tokens : 0;
}

bool Scheduler::plan_span(Sequence& sequence, int n_tokens) {
  const bool reaches_end = n_tokens == sequence.n_remaining();
  if (reaches_end && n_logits_left_ == 0) --n_tokens;  // the last one in a later step
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
  const bool wants_logits = end == sequence.n_tokens();
  n_logits_left_ -= wants_logits ? 1 : 0;
  n_left_ -= n_tokens;
  work_.push_back({&sequence, n_tokens, wants_logits});
  spans_.push_back({.tokens = sequence.tokens().subspan(static_cast<std::size_t>(sequence.n_computed),
                                                        static_cast<std::size_t>(n_tokens)),
                    .start = sequence.n_computed,
                    .pages = std::span(sequence.pages).first(static_cast<std::size_t>(pages_for(end))),
                    .n_logits = wants_logits ? 1 : 0});
  return true;
}

std::optional<kv::PageId> Scheduler::take_page() {
  if (auto page = pool_.take()) return page;
  if (index_ != nullptr && index_->evict(1) > 0) return pool_.take();
  return std::nullopt;
}

// Takes pages for positions [0, n_positions), from younger sequences if need be.
Scheduler::Grown Scheduler::grow(Sequence& sequence, int n_positions) {
  while (static_cast<int>(sequence.pages.size()) < pages_for(n_positions)) {
    if (const auto page = take_page()) {
      sequence.pages.push_back(*page);
      continue;
    }
    if (n_running() == 1) return Grown::kNever;
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
  drop_pages(sequence);
  sequence.n_computed = 0;
  waiting_.push_front(std::move(*at));
  running_.erase(at);
  ++n_preemptions_;
}

void Scheduler::drop_pages(Sequence& sequence) {
  for (const kv::PageId page : sequence.pages) pool_.drop(page);
  sequence.pages.clear();
}

void Scheduler::computed(const Work& work) {
  Sequence& sequence = *work.sequence;
  const int n_full_before = sequence.n_computed / kv::kPageTokens;
  sequence.n_computed += work.n_tokens;
  const int n_full = sequence.n_computed / kv::kPageTokens;
  if (index_ == nullptr || n_full == n_full_before) return;
  index_->insert(sequence.tokens().first(static_cast<std::size_t>(n_full * kv::kPageTokens)), sequence.pages);
}

void Scheduler::remove_finished(const std::function<void(std::unique_ptr<Sequence>)>& done) {
  const auto take_from = [&](auto& sequences) {
    for (std::size_t i = 0; i < sequences.size();) {
      if (!sequences[i]->is_finished()) {
        ++i;
        continue;
      }
      auto sequence = std::move(sequences[i]);
      sequences.erase(sequences.begin() + static_cast<std::ptrdiff_t>(i));
      const bool has_pages = !sequence->pages.empty() && sequence->finish_reason() != Finish::kFailed;
      if (index_ != nullptr && has_pages) {
        index_->insert_tail(sequence->tokens().first(static_cast<std::size_t>(sequence->n_computed)), sequence->pages);
      }
      drop_pages(*sequence);
      done(std::move(sequence));
    }
  };
  take_from(running_);
  take_from(waiting_);
}

void Scheduler::finish_all(Finish finish, const std::optional<Error>& error) {
  for (const auto& sequence : running_) sequence->finish(finish, error);
  for (const auto& sequence : waiting_) sequence->finish(finish, error);
}

}  // namespace reckon::engine
