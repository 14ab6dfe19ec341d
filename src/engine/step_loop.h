#pragma once
// One step after the other: plan, run the model, choose tokens, hand them over. Knows no threads.
// Owner: Engine. Thread: one at a time, but for counters(). Memory: made in create(); a step allocates nothing.

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "engine/step_pacer.h"
#include "kv/page_pool.h"
#include "kv/prefix_index.h"
#include "model/runner.h"
#include "reckon/engine.h"
#include "sample/logprobs.h"
#include "sample/sampler.h"

namespace reckon::engine {

struct StepLoopOptions {
  int n_context = 8192;  // cut to what the pool holds
  int max_sequences = 8;
  int max_step_tokens = 512;
  std::size_t kv_bytes = 0;
  bool prefix_cache = true;
  bool pace = true;  // false: steps are as large as they may be, whatever they cost
};

// May be read by any thread at any time.
struct StepCounters {
  std::atomic<int> n_running = 0;
  std::atomic<int> n_in_flight = 0;  // taken in and not ended; Engine counts up, the loop counts down
  std::atomic<std::uint64_t> n_pages_free = 0;
  std::atomic<std::uint64_t> n_pages_cached = 0;
  std::atomic<std::uint64_t> n_steps = 0;
  std::atomic<std::uint64_t> n_prefill_tokens = 0;
  std::atomic<std::uint64_t> n_decode_tokens = 0;
  std::atomic<std::uint64_t> n_cached_tokens = 0;
  std::atomic<std::uint64_t> n_loops_stopped = 0;
  std::atomic<std::uint64_t> n_preemptions = 0;
};

class StepLoop {
 public:
  // kOutOfMemory, kInvalidInput. Runner and tokenizer must outlive the loop.
  static Result<std::unique_ptr<StepLoop>> create(model::Runner& runner, const Tokenizer& tokenizer,
                                                  const StepLoopOptions& options);

  void add(std::unique_ptr<Sequence> sequence);
  void cancel(RequestId id);
  void close_thought(RequestId id);
  // Ends all sequences; kFailed with an error, else kCancelled.
  void end_all(const std::optional<Error>& error);

  // One forward pass, or only the end of sequences that were cancelled. False: nothing is left to do.
  bool step();

  [[nodiscard]] const SequenceContext& context() const { return context_; }
  [[nodiscard]] StepCounters& counters() { return counters_; }
  [[nodiscard]] const kv::PagePool& pool() const { return pool_; }
  [[nodiscard]] std::vector<std::pair<std::string, double>> phase_seconds() const;

 private:
  StepLoop(model::Runner& runner, const Tokenizer& tokenizer, const StepLoopOptions& options, kv::PagePool pool);

  void run(const Scheduler::Plan& plan);
  void run_one_by_one(const Scheduler::Plan& plan);
  Result<void> forward(std::span<const model::StepSpan> spans, std::size_t n_rows);
  void take_row(const Scheduler::Work& work, std::size_t row);
  void choose(Sequence& sequence, std::span<float> logits);
  void deliver(const Scheduler::Plan& plan);
  void end_finished();
  void update_counters();

  model::Runner& runner_;
  kv::PagePool pool_;
  std::unique_ptr<kv::PrefixIndex> index_;
  std::vector<TokenId> end_tokens_;
  SequenceContext context_;
  Scheduler scheduler_;
  StepPacer pacer_;
  StepLoopOptions options_;
  std::size_t n_vocab_;
  std::vector<float> logits_;      // [max_sequences][n_vocab]
  std::vector<float> raw_logits_;  // [n_vocab], before penalties, for log-probabilities
  sample::Sampler sampler_;
  sample::Logprobs logprobs_;
  StepCounters counters_;
  double schedule_seconds_ = 0;
  double sample_seconds_ = 0;
  double deliver_seconds_ = 0;
};

}  // namespace reckon::engine
