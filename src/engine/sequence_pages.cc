#include "engine/sequence_pages.h"

#include <algorithm>
#include <cstring>

namespace reckon::engine {
namespace {

constexpr int kWorthWaiting = 8;  // tokens that another is about to compute

std::span<const TokenId> reusable_tokens(const Sequence& sequence) {
  return sequence.tokens().first(static_cast<std::size_t>(sequence.n_reusable()));
}

// How many of the tokens that `sequence` may reuse are those of `other` as well.
int n_common(const Sequence& sequence, const Sequence& other) {
  const auto mine = reusable_tokens(sequence);
  const auto theirs = other.tokens();
  const auto n = static_cast<std::ptrdiff_t>(std::min(mine.size(), theirs.size()));
  return static_cast<int>(std::mismatch(mine.begin(), mine.begin() + n, theirs.begin()).first - mine.begin());
}

}  // namespace

SequencePages::SequencePages(kv::PagePool& pool, kv::PrefixIndex* index) : pool_(pool), index_(index) {
  found_.reserve(static_cast<std::size_t>(pool.n_pages()));
}

std::optional<kv::PageId> SequencePages::take_page() {
  if (auto page = pool_.take()) return page;
  if (index_ != nullptr && index_->evict(1) > 0) return pool_.take();
  return std::nullopt;
}

void SequencePages::drop(Sequence& sequence) {
  for (const kv::PageId page : sequence.pages) pool_.drop(page);
  sequence.pages.clear();
}

bool SequencePages::admit(Sequence& sequence, const Admission& admission) {
  kv::PrefixIndex::Partial partial;
  found_.clear();
  if (index_ != nullptr) partial = index_->lookup(reusable_tokens(sequence), found_);
  const int n_needed = pages_for(sequence.n_tokens() + 1) - static_cast<int>(found_.size());
  const int n_available = pool_.n_free() + (index_ != nullptr ? index_->n_evictable() : 0);
  if (n_needed + admission.n_spare > n_available && !admission.whatever) {
    for (const kv::PageId page : found_) pool_.drop(page);
    if (partial.page >= 0) pool_.drop(partial.page);
    return false;
  }
  const bool is_first_time = !sequence.is_prepared();
  sequence.prepare();
  sequence.pages.assign(found_.begin(), found_.end());
  sequence.n_computed = static_cast<int>(found_.size()) * kv::kPageTokens;
  if (partial.page >= 0) copy_partial(sequence, partial);
  if (is_first_time) count_gained(sequence, std::min(sequence.n_computed, sequence.n_prompt()));
  return true;
}

void SequencePages::copy_partial(Sequence& sequence, const kv::PrefixIndex::Partial& partial) {
  if (const auto page = take_page()) {
    std::memcpy(pool_.data(*page), pool_.data(partial.page), pool_.page_bytes());
    sequence.pages.push_back(*page);
    sequence.n_computed += partial.n_tokens;
  }
  pool_.drop(partial.page);
}

void SequencePages::count_gained(Sequence& sequence, int n_gained) {
  sequence.n_cached += n_gained;
  if (!sequence.request().idle) n_cached_tokens_ += static_cast<std::uint64_t>(n_gained);
}

void SequencePages::keep_computed(Sequence& sequence, int n_before) {
  const int n_full = sequence.n_computed / kv::kPageTokens;
  if (index_ == nullptr || n_full == n_before / kv::kPageTokens) return;
  index_->insert(sequence.tokens().first(static_cast<std::size_t>(n_full * kv::kPageTokens)), sequence.pages);
}

void SequencePages::keep_and_drop(Sequence& sequence) {
  if (index_ != nullptr && !sequence.pages.empty()) {
    index_->insert_tail(sequence.tokens().first(static_cast<std::size_t>(sequence.n_computed)), sequence.pages);
  }
  drop(sequence);
}

void SequencePages::take_over(Sequence& sequence, std::span<const std::unique_ptr<Sequence>> older) {
  if (index_ == nullptr) return;
  take_over_full_pages(sequence);
  for (const auto& other : older) take_over_tail(sequence, *other);
}

void SequencePages::take_over_full_pages(Sequence& sequence) {
  if (sequence.n_computed % kv::kPageTokens != 0) return;
  found_.clear();
  const auto partial = index_->lookup(reusable_tokens(sequence), found_);
  if (partial.page >= 0) pool_.drop(partial.page);
  const int n_found = static_cast<int>(found_.size()) * kv::kPageTokens;
  if (n_found <= sequence.n_computed) {
    for (const kv::PageId page : found_) pool_.drop(page);
    return;
  }
  drop(sequence);
  sequence.pages.assign(found_.begin(), found_.end());
  const int n_gained = n_found - sequence.n_computed;
  sequence.n_computed = n_found;
  if (sequence.n_generated() == 0) count_gained(sequence, n_gained);
}

// The start of a page that the other one still writes to: by copy. All before it is in pages of the index.
void SequencePages::take_over_tail(Sequence& sequence, const Sequence& other) {
  if (sequence.n_generated() > 0 || other.n_computed <= sequence.n_computed) return;
  const int usable = std::min(n_common(sequence, other), other.n_computed);
  const int i_page = sequence.n_computed / kv::kPageTokens;
  if (usable <= sequence.n_computed || usable / kv::kPageTokens != i_page) return;
  if (static_cast<int>(sequence.pages.size()) == i_page) {
    const auto page = take_page();
    if (!page) return;
    sequence.pages.push_back(*page);
  }
  const auto i = static_cast<std::size_t>(i_page);
  std::memcpy(pool_.data(sequence.pages[i]), pool_.data(other.pages[i]), pool_.page_bytes());
  count_gained(sequence, usable - sequence.n_computed);
  sequence.n_computed = usable;
}

bool SequencePages::waits_for(const Sequence& sequence, std::span<const std::unique_ptr<Sequence>> older) const {
  if (index_ == nullptr || sequence.n_generated() > 0) return false;
  for (const auto& other : older) {
    if (other->is_finished()) continue;
    const int common = n_common(sequence, *other);
    if (common >= sequence.n_computed + kWorthWaiting && other->n_computed < common) return true;
  }
  return false;
}

}  // namespace reckon::engine
