#pragma once
// One step after the other: plan, run the model, choose tokens, hand them over. Knows no threads.
// Owner: Engine. Thread: one at a time, but for counters(). Memory: made in create(); a step allocates nothing.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
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
  bool pace = true;                                     // false: steps are as large as they may be, whatever they cost
  std::function<Clock::time_point()> now = Clock::now;  // for the times and limits of requests
  std::function<void(const Sequence&)> on_end = {};     // before its last event; may be empty
};

inline constexpr std::size_t kFinishes = static_cast<std::size_t>(Finish::kTimeout) + 1;
inline constexpr std::size_t kTimeLimits = static_cast<std::size_t>(TimeLimit::kTotal) + 1;

// May be read by any thread at any time.
struct StepCounters {
  std::atomic<int> n_running = 0;
  std::atomic<int> n_in_flight = 0;  // taken in and not ended, but for idle ones; Engine counts up, the loop down
  std::atomic<int> n_idle = 0;       // the same of idle ones
  std::atomic<std::uint64_t> n_pages_free = 0;
  std::atomic<std::uint64_t> n_pages_cached = 0;
  std::atomic<std::uint64_t> n_steps = 0;
  std::atomic<std::uint64_t> n_prefill_tokens = 0;
  std::atomic<std::uint64_t> n_decode_tokens = 0;
  std::atomic<std::uint64_t> n_cached_tokens = 0;
  std::atomic<std::uint64_t> n_loops_stopped = 0;
  std::atomic<std::uint64_t> n_preemptions = 0;
  std::atomic<std::uint64_t> n_idle_tokens = 0;
  std::atomic<std::uint64_t> n_thought_tokens = 0;
  std::atomic<std::uint64_t> n_answer_tokens = 0;
  std::atomic<std::uint64_t> n_decode_steps = 0;
  std::atomic<std::uint64_t> n_forwards = 0;                            // steps, and those done again
  std::array<std::atomic<std::uint64_t>, kFinishes> n_finished = {};    // by Finish
  std::array<std::atomic<std::uint64_t>, kTimeLimits> n_timeouts = {};  // by TimeLimit
  std::atomic<double> last_step_seconds = 0;
  std::atomic<double> step_seconds = 0;
  std::atomic<double> decode_step_seconds = 0;
  std::atomic<double> mean_request_seconds = 0;
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
  [[nodiscard]] const WaitingLine& waiting() const { return scheduler_.waiting(); }
  [[nodiscard]] std::vector<std::pair<std::string, double>> phase_seconds() const;

 private:
  struct Memory {
    kv::PagePool pool;
    Arena logits;
    Arena hidden;
  };
  StepLoop(model::Runner& runner, const Tokenizer& tokenizer, const StepLoopOptions& options, Memory memory);

  void run(const Scheduler::Plan& plan);
  void run_one_by_one(const Scheduler::Plan& plan);
  Result<void> forward(std::span<const model::StepSpan> spans);
  void count_step(const Scheduler::Plan& plan, double seconds);
  void take_rows(const Scheduler::Work& work, std::size_t first_logits, std::size_t first_hidden);
  void take_prompt_rows(const Scheduler::Work& work, std::size_t first_logits);
  [[nodiscard]] std::span<float> logits(std::size_t first_row, std::size_t n = 1) const;
  [[nodiscard]] std::span<float> hidden(std::size_t first_row, std::size_t n) const;
  void choose(Sequence& sequence, std::span<float> logits);
  void deliver(const Scheduler::Plan& plan);
  void end_finished();
  void count_end(const Sequence& sequence);
  void update_counters();
  void tell_queue();

  model::Runner& runner_;
  kv::PagePool pool_;
  std::unique_ptr<kv::PrefixIndex> index_;
  std::vector<TokenId> end_tokens_;
  SequenceContext context_;
  Scheduler scheduler_;
  StepPacer pacer_;
  StepLoopOptions options_;
  std::size_t n_vocab_;
  std::size_t n_embd_;
  Arena logits_memory_;              // [max_step_logits][n_vocab]: touched as far as a step wants rows
  Arena hidden_memory_;              // [max_step_tokens][n_embd]
  std::vector<std::uint64_t> mask_;  // of a grammar, over the vocabulary
  std::vector<float> raw_logits_;    // [n_vocab], before penalties, for log-probabilities
  sample::Sampler sampler_;
  sample::Logprobs logprobs_;
  StepCounters counters_;
  std::uint64_t told_version_ = 0;  // of the waiting line
  double schedule_seconds_ = 0;
  double sample_seconds_ = 0;
  double deliver_seconds_ = 0;
};

}  // namespace reckon::engine
