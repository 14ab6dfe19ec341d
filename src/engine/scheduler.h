#pragma once
// Which sequences a step works on, and with which pages.
//
// Policy. Decoding comes first, oldest sequence first: one token each. What is left of the step goes to prompts in
// equal shares for each client, and for each prompt of a client, so that a short prompt never waits for a long one. A
// prompt whose next tokens another sequence is computing already waits for it. Admission goes round the clients (see
// waiting_line.h), while pages suffice. When the pool runs dry: pages that only the prefix index holds are evicted, new
// admissions wait, the youngest sequence is put back to be computed again later (its full pages stay in the index for
// as long as they can), and a sequence that is alone ends with kLength.
//
// Idle requests (Request::idle) are worked on one at a time, in small steps of their own, only where nothing else runs
// or waits. As soon as something does, they hold no page: what they have computed is in the index.
//
// Owner: StepLoop. Thread: engine thread. Memory: made in the constructor, but for the queue.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "engine/sequence_pages.h"
#include "engine/waiting_line.h"
#include "kv/page_pool.h"
#include "kv/prefix_index.h"
#include "model/step.h"

namespace reckon::engine {

class Scheduler {
 public:
  static constexpr std::size_t kMostIdle = 16;  // idle requests that wait; the oldest gives way to a new one

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
  [[nodiscard]] bool is_empty() const { return running_.empty() && waiting_.is_empty() && idle_.empty(); }
  [[nodiscard]] int n_running() const { return static_cast<int>(running_.size()); }
  [[nodiscard]] int n_idle() const { return static_cast<int>(idle_.size()); }
  [[nodiscard]] const WaitingLine& waiting() const { return waiting_; }
  [[nodiscard]] int n_decoding() const;
  void check_times(Clock::time_point now);

  struct Work {
    Sequence* sequence = nullptr;
    int n_tokens = 0;
    int n_logits = 0;  // rows of logits, of the last tokens
    int n_hidden = 0;  // rows of hidden states, of the last tokens
  };
  struct Plan {
    std::span<const Work> work;
    std::span<const model::StepSpan> spans;  // of work, in the same order
    int n_decode = 0;
    int n_prefill = 0;
    bool is_idle = false;  // n_prefill is of an idle request
  };
  // The most prompt tokens of a step.
  struct PrefillLimits {
    int normal = 512;
    int idle = 16;
  };
  // Admits, finds pages, and fills a step. May finish sequences (kLength). Views are valid until the next call of
  // anything here.
  Plan plan(const PrefillLimits& limits);

  // The step was computed: its keys and values are in the pages.
  void computed(const Work& work);

  // Takes out the sequences that are finished, gives their pages back and calls `done` for each.
  void remove_finished(const std::function<void(std::unique_ptr<Sequence>)>& done);
  void finish_all(Finish finish, const std::optional<Error>& error);

  [[nodiscard]] std::uint64_t n_cached_tokens() const { return pages_.n_cached_tokens(); }
  [[nodiscard]] std::uint64_t n_preemptions() const { return n_preemptions_; }

 private:
  enum class Grown { kYes, kNotNow, kNever };

  void admit();
  Grown grow(Sequence& sequence, int n_positions);
  Sequence* youngest_unplanned();
  void put_back(Sequence& sequence);
  void plan_decoding();
  void plan_prefill(int limit);
  void gather_prefilling();
  int plan_client(std::span<Sequence* const> prompts, int share);
  int plan_share(Sequence& sequence, int share);
  bool plan_span(Sequence& sequence, int n_tokens);
  void plan_idle(int limit);
  void pause_idle();

  Limits limits_;
  SequencePages pages_;
  WaitingLine waiting_;
  std::vector<std::unique_ptr<Sequence>> running_;  // oldest admission first
  std::deque<std::unique_ptr<Sequence>> idle_;      // only the first may have pages
  std::vector<Work> work_;
  std::vector<model::StepSpan> spans_;
  std::vector<Sequence*> prefilling_;  // scratch; those of one client stand together
  int n_left_ = 0;                     // tokens of the step that is being planned
  int n_logits_left_ = 0;
  std::size_t next_share_ = 0;  // which client and which of its prompts are served first
  std::uint64_t n_preemptions_ = 0;
};

}  // namespace reckon::engine
