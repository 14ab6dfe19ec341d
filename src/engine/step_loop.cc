#include "engine/step_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/check.h"

namespace reckon::engine {
namespace {

// Adds the time until it is destroyed to a ledger.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += elapsed(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

std::vector<TokenId> find_end_tokens(const Tokenizer& tokenizer, int n_vocab) {
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < std::min(n_vocab, tokenizer.n_vocab()); ++id) {
    if (tokenizer.is_end_of_generation(id)) ids.push_back(id);
  }
  return ids;
}

StepLoopOptions fit(StepLoopOptions options, const model::Runner& runner, const kv::PagePool& pool) {
  options.n_context = std::min<int>(options.n_context, pool.n_pages() * kv::kPageTokens);
  options.max_step_tokens = std::min(options.max_step_tokens, runner.max_step_tokens());
  options.max_sequences = std::min({options.max_sequences, options.max_step_tokens, runner.max_step_logits()});
  return options;
}

}  // namespace

Result<std::unique_ptr<StepLoop>> StepLoop::create(model::Runner& runner, const Tokenizer& tokenizer,
                                                   const StepLoopOptions& options) {
  if (options.max_sequences < 1 || options.max_step_tokens < 1 || options.n_context < 2) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("the engine needs room for at least 1 sequence, 1 token a step and a context of 2, got {}, {} "
                    "and {}",
                    options.max_sequences, options.max_step_tokens, options.n_context));
  }
  RECKON_TRY(auto pool, kv::PagePool::create(runner.page_bytes(), options.kv_bytes, 1));
  const StepLoopOptions fitting = fit(options, runner, pool);
  RECKON_CHECK(fitting.max_sequences >= 1 && fitting.max_step_tokens >= 1);
  return std::unique_ptr<StepLoop>(new StepLoop(runner, tokenizer, fitting, std::move(pool)));
}

StepLoop::StepLoop(model::Runner& runner, const Tokenizer& tokenizer, const StepLoopOptions& options, kv::PagePool pool)
    : runner_(runner),
      pool_(std::move(pool)),
      index_(options.prefix_cache ? std::make_unique<kv::PrefixIndex>(pool_) : nullptr),
      end_tokens_(find_end_tokens(tokenizer, runner.n_vocab())),
      context_{.tokenizer = &tokenizer, .end_tokens = end_tokens_, .n_context = options.n_context},
      scheduler_(pool_, index_.get(),
                 {.max_sequences = options.max_sequences,
                  .max_step_tokens = options.max_step_tokens,
                  .max_step_logits = options.max_sequences}),
      pacer_(options.max_step_tokens),
      options_(options),
      n_vocab_(static_cast<std::size_t>(runner.n_vocab())),
      logits_(static_cast<std::size_t>(options.max_sequences) * n_vocab_),
      raw_logits_(n_vocab_),
      sampler_(n_vocab_),
      logprobs_(n_vocab_) {
  update_counters();
}

void StepLoop::add(std::unique_ptr<Sequence> sequence) { scheduler_.add(std::move(sequence)); }

void StepLoop::cancel(RequestId id) {
  if (Sequence* sequence = scheduler_.find(id)) sequence->finish(Finish::kCancelled);
}

void StepLoop::close_thought(RequestId id) {
  if (Sequence* sequence = scheduler_.find(id)) sequence->close_thought(ThoughtEnd::kAsked);
}

void StepLoop::end_all(const std::optional<Error>& error) {
  scheduler_.finish_all(error ? Finish::kFailed : Finish::kCancelled, error);
  end_finished();
}

bool StepLoop::step() {
  end_finished();
  if (scheduler_.is_empty()) return false;
  Scheduler::Plan plan;
  {
    const Stopwatch watch(schedule_seconds_);
    const bool any_decoding = scheduler_.any_decoding();
    plan = scheduler_.plan(options_.pace ? pacer_.prefill_limit(any_decoding) : options_.max_step_tokens);
  }
  if (!plan.work.empty()) {
    run(plan);
    deliver(plan);
  }
  end_finished();
  update_counters();
  return !scheduler_.is_empty();
}

void StepLoop::run(const Scheduler::Plan& plan) {
  const auto n_rows = static_cast<std::size_t>(std::ranges::count_if(plan.work, &Scheduler::Work::wants_logits));
  double seconds = 0;
  Result<void> done;
  {
    const Stopwatch watch(seconds);
    done = forward(plan.spans, n_rows);
  }
  counters_.n_steps.fetch_add(1, std::memory_order_relaxed);
  if (!done) {
    run_one_by_one(plan);
    return;
  }
  pacer_.observe(plan.n_decode, plan.n_prefill, seconds);
  counters_.n_prefill_tokens.fetch_add(static_cast<std::uint64_t>(plan.n_prefill), std::memory_order_relaxed);
  counters_.n_decode_tokens.fetch_add(static_cast<std::uint64_t>(plan.n_decode), std::memory_order_relaxed);
  std::size_t row = 0;
  for (const Scheduler::Work& work : plan.work) take_row(work, work.wants_logits ? row++ : row);
}

// A step failed: each span again by itself, so that only the sequence at fault fails. A span can be run twice, since
// its keys and values go to the same places.
void StepLoop::run_one_by_one(const Scheduler::Plan& plan) {
  for (std::size_t i = 0; i < plan.work.size(); ++i) {
    const Scheduler::Work& work = plan.work[i];
    auto done = forward(plan.spans.subspan(i, 1), work.wants_logits ? 1 : 0);
    if (!done) {
      work.sequence->finish(Finish::kFailed, std::move(done).error());
      continue;
    }
    take_row(work, 0);
  }
}

// The one place where a bug of the model's code ends: its sequences fail, the engine goes on.
Result<void> StepLoop::forward(std::span<const model::StepSpan> spans, std::size_t n_rows) {
  try {
    return runner_.run({.spans = spans}, pool_, std::span(logits_).first(n_rows * n_vocab_));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "a step ran out of memory: take a shorter context or fewer sequences");
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("a step failed: {}", e.what()));
  }
}

void StepLoop::take_row(const Scheduler::Work& work, std::size_t row) {
  scheduler_.computed(work);
  if (!work.wants_logits || work.sequence->is_finished()) return;
  const Stopwatch watch(sample_seconds_);
  choose(*work.sequence, std::span(logits_).subspan(row * n_vocab_, n_vocab_));
}

void StepLoop::choose(Sequence& sequence, std::span<float> logits) {
  const bool wants_logprobs = sequence.wants_logprobs();
  if (wants_logprobs) {
    std::ranges::copy(logits, raw_logits_.begin());
    logprobs_.scan(raw_logits_);
    logprobs_.top(sequence.request().n_top_logprobs, sequence.next_top_logprobs());
  }
  const auto chosen = sampler_.sample({.logits = logits,
                                       .options = &sequence.request().sample,
                                       .counts = sequence.counts(),
                                       .forbidden = sequence.forbidden(),
                                       .position = static_cast<std::uint64_t>(sequence.n_tokens())});
  if (!chosen) {
    sequence.finish(
        Finish::kFailed,
        Error{ErrorCode::kInternal, "no token is left to choose: all are forbidden, or the model gave no numbers"});
    return;
  }
  const int n_loops = sequence.n_loops();
  sequence.accept(*chosen, wants_logprobs ? logprobs_.of(*chosen) : 0);
  if (sequence.n_loops() > n_loops) counters_.n_loops_stopped.fetch_add(1, std::memory_order_relaxed);
}

// What goes on; what has ended is handed over in end_finished(), once its place is free.
void StepLoop::deliver(const Scheduler::Plan& plan) {
  const Stopwatch watch(deliver_seconds_);
  for (const Scheduler::Work& work : plan.work) {
    if (!work.sequence->is_finished()) work.sequence->deliver();
  }
}

void StepLoop::end_finished() {
  scheduler_.remove_finished([this](std::unique_ptr<Sequence> sequence) {
    counters_.n_in_flight.fetch_sub(1, std::memory_order_relaxed);
    update_counters();
    const Stopwatch watch(deliver_seconds_);
    sequence->deliver_end();
  });
}

void StepLoop::update_counters() {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  counters_.n_running.store(scheduler_.n_running(), kRelaxed);
  counters_.n_pages_free.store(static_cast<std::uint64_t>(pool_.n_free()), kRelaxed);
  counters_.n_pages_cached.store(index_ ? static_cast<std::uint64_t>(index_->n_pages()) : 0, kRelaxed);
  counters_.n_cached_tokens.store(scheduler_.n_cached_tokens(), kRelaxed);
  counters_.n_preemptions.store(scheduler_.n_preemptions(), kRelaxed);
}

std::vector<std::pair<std::string, double>> StepLoop::phase_seconds() const {
  auto phases = runner_.phase_seconds();
  phases.emplace_back("schedule", schedule_seconds_);
  phases.emplace_back("sample", sample_seconds_);
  phases.emplace_back("deliver", deliver_seconds_);
  return phases;
}

}  // namespace reckon::engine
