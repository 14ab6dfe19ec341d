#pragma once
// Which sequences a step works on, and with which pages.
//
// Policy. Decoding comes first, oldest sequence first: one token each. What is left of the step goes to prompts in
// equal shares, so that a short prompt never waits for a long one. A prompt whose next page another sequence is
// computing already waits for it. Admission is first come, first served, while pages suffice. When the pool runs dry:
// pages that only the prefix index holds are evicted, new admissions wait, the youngest sequence is put back to be
// computed again later (its full pages stay in the index for as long as they can), and a sequence that is alone ends
// with kLength.
//
// Owner: StepLoop. Thread: engine thread. Memory: made in the constructor, but for the queue.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "kv/page_pool.h"
#include "kv/prefix_index.h"
#include "model/step.h"

namespace reckon::engine {

class Scheduler {
 public:
  struct Limits {
    int max_sequences = 8;
    int max_step_tokens = 512;
    int max_step_logits = 8;
  };
  // index: null where nothing is reused. Pool and index must outlive the scheduler.
  Scheduler(kv::PagePool& pool, kv::PrefixIndex* index, const Limits& limits);
  ~Scheduler();

  void add(std::unique_ptr<Sequence> sequence);
  [[nodiscard]] Sequence* find(RequestId id) const;
  [[nodiscard]] bool is_empty() const { return running_.empty() && waiting_.empty(); }
  [[nodiscard]] int n_running() const { return static_cast<int>(running_.size()); }
  [[nodiscard]] int n_waiting() const { return static_cast<int>(waiting_.size()); }
  [[nodiscard]] bool any_decoding() const;

  struct Work {
    Sequence* sequence = nullptr;
    int n_tokens = 0;
    bool wants_logits = false;  // the span ends with the sequence's newest token
  };
  struct Plan {
    std::span<const Work> work;
    std::span<const model::StepSpan> spans;  // of work, in the same order
    int n_decode = 0;
    int n_prefill = 0;
  };
  // Admits, finds pages, and fills a step. May finish sequences (kLength). Views are valid until the next call of
  // anything here. `prefill_limit`: most prompt tokens of the step.
  Plan plan(int prefill_limit);

  // The step was computed: its keys and values are in the pages.
  void computed(const Work& work);

  // Takes out the sequences that are finished, gives their pages back and calls `done` for each.
  void remove_finished(const std::function<void(std::unique_ptr<Sequence>)>& done);
  void finish_all(Finish finish, const std::optional<Error>& error);

  [[nodiscard]] std::uint64_t n_cached_tokens() const { return n_cached_tokens_; }
  [[nodiscard]] std::uint64_t n_preemptions() const { return n_preemptions_; }

 private:
  enum class Grown { kYes, kNotNow, kNever };

  void admit();
  bool admit_one(Sequence& sequence);
  void copy_partial(Sequence& sequence, const kv::PrefixIndex::Partial& partial);
  void take_over_computed(Sequence& sequence);
  [[nodiscard]] bool waits_for_other(std::size_t i_running) const;
  [[nodiscard]] std::optional<kv::PageId> take_page();
  Grown grow(Sequence& sequence, int n_positions);
  Sequence* youngest_unplanned();
  void put_back(Sequence& sequence);
  void drop_pages(Sequence& sequence);
  void plan_decoding();
  void plan_prefill(int limit);
  int plan_share(Sequence& sequence, int share);
  bool plan_span(Sequence& sequence, int n_tokens);

  kv::PagePool& pool_;
  kv::PrefixIndex* index_;
  Limits limits_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::vector<std::unique_ptr<Sequence>> running_;  // oldest admission first
  std::vector<Work> work_;
  std::vector<model::StepSpan> spans_;
  std::vector<Sequence*> prefilling_;  // scratch
  std::vector<kv::PageId> found_;      // scratch
  int n_left_ = 0;                     // tokens of the step that is being planned
  int n_logits_left_ = 0;
  std::size_t next_share_ = 0;  // which prompt is served first
  std::uint64_t n_cached_tokens_ = 0;
  std::uint64_t n_preemptions_ = 0;
};

}  // namespace reckon::engine
