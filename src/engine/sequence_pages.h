#pragma once
// The pages of sequences: where they come from, and what of them need not be computed because it was already, by an
// earlier request (the prefix index) or by one that runs beside it.
// Owner: Scheduler. Thread: engine thread. Memory: made in the constructor.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "kv/page_pool.h"
#include "kv/prefix_index.h"

namespace reckon::engine {

[[nodiscard]] inline int pages_for(int n_tokens) { return (n_tokens + kv::kPageTokens - 1) / kv::kPageTokens; }

class SequencePages {
 public:
  // index: null where nothing is reused.
  SequencePages(kv::PagePool& pool, kv::PrefixIndex* index);

  [[nodiscard]] bool has_index() const { return index_ != nullptr; }
  [[nodiscard]] std::optional<kv::PageId> take_page();  // evicts from the index if need be
  void drop(Sequence& sequence);

  // Prepares a sequence without pages to run: takes those that are there already, if at least n_spare others and those
  // for the rest can be had too, or `whatever`.
  struct Admission {
    int n_spare = 0;
    bool whatever = false;
  };
  bool admit(Sequence& sequence, const Admission& admission);

  // The first n_computed tokens are in the pages; n_before of them were known to be.
  void keep_computed(Sequence& sequence, int n_before);
  // Of a sequence that gives up its pages: what is computed stays in the index. Then drops them.
  void keep_and_drop(Sequence& sequence);

  // What others have computed of this prompt since it was admitted. `older` run beside it.
  void take_over(Sequence& sequence, std::span<const std::unique_ptr<Sequence>> older);
  // Whether one of them is about to compute enough of this prompt to wait for it.
  [[nodiscard]] bool waits_for(const Sequence& sequence, std::span<const std::unique_ptr<Sequence>> older) const;

  [[nodiscard]] std::uint64_t n_cached_tokens() const { return n_cached_tokens_; }

 private:
  void copy_partial(Sequence& sequence, const kv::PrefixIndex::Partial& partial);
  void take_over_full_pages(Sequence& sequence);
  void take_over_tail(Sequence& sequence, const Sequence& other);
  void count_gained(Sequence& sequence, int n_gained);

  kv::PagePool& pool_;
  kv::PrefixIndex* index_;
  std::vector<kv::PageId> found_;  // scratch
  std::uint64_t n_cached_tokens_ = 0;
};

}  // namespace reckon::engine
