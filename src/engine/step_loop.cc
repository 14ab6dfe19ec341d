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

constexpr int kMostLogits = PromptResults::kMostPerStep;

int max_logits(const StepLoopOptions& options, const model::Runner& runner) {
  return std::min(runner.max_step_logits(), std::max(options.max_sequences, kMostLogits));
}

std::size_t mask_words(const model::Runner& runner, const Tokenizer& tokenizer) {
  return (static_cast<std::size_t>(std::max(runner.n_vocab(), tokenizer.n_vocab())) + 63) / 64;
}

void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) { counter.fetch_add(n, std::memory_order_relaxed); }

// Only the engine thread writes.
void add(std::atomic<double>& sum, double seconds) {
  sum.store(sum.load(std::memory_order_relaxed) + seconds, std::memory_order_relaxed);
}

Error nothing_to_choose(bool has_grammar) {
  return {ErrorCode::kInternal,
          has_grammar ? "no token is left to choose: those that the grammar allows are forbidden by other options"
                      : "no token is left to choose: all are forbidden, or the model gave no numbers"};
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
  Memory memory;
  RECKON_TRY(memory.pool, kv::PagePool::create(runner.page_bytes(), options.kv_bytes, 1));
  const StepLoopOptions fitting = fit(options, runner, memory.pool);
  RECKON_CHECK(fitting.max_sequences >= 1 && fitting.max_step_tokens >= 1);
  const auto floats = [](int n_rows, int n_columns) {
    return static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_columns) * sizeof(float);
  };
  RECKON_TRY(memory.logits, Arena::create(floats(max_logits(fitting, runner), runner.n_vocab())));
  RECKON_TRY(memory.hidden, Arena::create(floats(fitting.max_step_tokens, runner.n_embd()), false));
  return std::unique_ptr<StepLoop>(new StepLoop(runner, tokenizer, fitting, std::move(memory)));
}

StepLoop::StepLoop(model::Runner& runner, const Tokenizer& tokenizer, const StepLoopOptions& options, Memory memory)
    : runner_(runner),
      pool_(std::move(memory.pool)),
      index_(options.prefix_cache ? std::make_unique<kv::PrefixIndex>(pool_) : nullptr),
      end_tokens_(find_end_tokens(tokenizer, runner.n_vocab())),
      context_{.tokenizer = &tokenizer, .end_tokens = end_tokens_, .n_context = options.n_context, .now = options.now},
      scheduler_(pool_, index_.get(),
                 {.max_sequences = options.max_sequences,
                  .max_step_tokens = options.max_step_tokens,
                  .max_step_logits = max_logits(options, runner)}),
      pacer_(options.max_step_tokens),
      options_(options),
      n_vocab_(static_cast<std::size_t>(runner.n_vocab())),
      n_embd_(static_cast<std::size_t>(runner.n_embd())),
      logits_memory_(std::move(memory.logits)),
      hidden_memory_(std::move(memory.hidden)),
      mask_(mask_words(runner, tokenizer)),
      raw_logits_(n_vocab_),
      sampler_(n_vocab_),
      logprobs_(n_vocab_) {
  update_counters();
}

std::span<float> StepLoop::logits(std::size_t first_row, std::size_t n) const {
  return {reinterpret_cast<float*>(logits_memory_.data()) + first_row * n_vocab_, n * n_vocab_};
}

std::span<float> StepLoop::hidden(std::size_t first_row, std::size_t n) const {
  return {reinterpret_cast<float*>(hidden_memory_.data()) + first_row * n_embd_, n * n_embd_};
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
  tell_queue();
}

bool StepLoop::step() {
  scheduler_.check_times(context_.now());
  end_finished();
  if (scheduler_.is_empty()) return false;
  Scheduler::Plan plan;
  {
    const Stopwatch watch(schedule_seconds_);
    const int most = options_.max_step_tokens;
    plan = scheduler_.plan({.normal = options_.pace ? pacer_.prefill_limit(scheduler_.n_decoding()) : most,
                            .idle = options_.pace ? pacer_.idle_limit() : most});
  }
  tell_queue();
  if (!plan.work.empty()) {
    run(plan);
    deliver(plan);
  }
  end_finished();
  update_counters();
  tell_queue();
  return !scheduler_.is_empty();
}

void StepLoop::run(const Scheduler::Plan& plan) {
  double seconds = 0;
  Result<void> done;
  {
    const Stopwatch watch(seconds);
    done = forward(plan.spans);
  }
  engine::add(counters_.n_steps, 1);
  if (!done) {
    run_one_by_one(plan);
    return;
  }
  count_step(plan, seconds);
  std::size_t i_logits = 0;
  std::size_t i_hidden = 0;
  for (const Scheduler::Work& work : plan.work) {
    take_rows(work, i_logits, i_hidden);
    i_logits += static_cast<std::size_t>(work.n_logits);
    i_hidden += static_cast<std::size_t>(work.n_hidden);
  }
}

void StepLoop::count_step(const Scheduler::Plan& plan, double seconds) {
  const auto n_prefill = static_cast<std::uint64_t>(plan.n_prefill);
  if (plan.is_idle) {
    pacer_.observe_idle(plan.n_prefill, seconds);
    engine::add(counters_.n_idle_tokens, n_prefill);
  } else {
    pacer_.observe(plan.n_decode, plan.n_prefill, seconds);
    engine::add(counters_.n_prefill_tokens, n_prefill);
    engine::add(counters_.n_decode_tokens, static_cast<std::uint64_t>(plan.n_decode));
  }
  counters_.last_step_seconds.store(seconds, std::memory_order_relaxed);
  engine::add(counters_.step_seconds, seconds);
  if (plan.n_prefill > 0) return;
  engine::add(counters_.n_decode_steps, 1);
  engine::add(counters_.decode_step_seconds, seconds);
}

// A step failed: each span again by itself, so that only the sequence at fault fails. A span can be run twice, since
// its keys and values go to the same places.
void StepLoop::run_one_by_one(const Scheduler::Plan& plan) {
  for (std::size_t i = 0; i < plan.work.size(); ++i) {
    const Scheduler::Work& work = plan.work[i];
    auto done = forward(plan.spans.subspan(i, 1));
    if (!done) {
      work.sequence->finish(Finish::kFailed, std::move(done).error());
      continue;
    }
    take_rows(work, 0, 0);
  }
}

// The one place where a bug of the model's code ends: its sequences fail, the engine goes on.
Result<void> StepLoop::forward(std::span<const model::StepSpan> spans) {
  std::size_t n_logits = 0;
  std::size_t n_hidden = 0;
  for (const model::StepSpan& span : spans) {
    n_logits += static_cast<std::size_t>(span.n_logits);
    n_hidden += static_cast<std::size_t>(span.n_hidden);
  }
  engine::add(counters_.n_forwards, 1);
  try {
    return runner_.run({.spans = spans, .hidden = hidden(0, n_hidden)}, pool_, logits(0, n_logits));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "a step ran out of memory: take a shorter context or fewer sequences");
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("a step failed: {}", e.what()));
  }
}

void StepLoop::take_rows(const Scheduler::Work& work, std::size_t first_logits, std::size_t first_hidden) {
  Sequence& sequence = *work.sequence;
  scheduler_.computed(work);
  if (sequence.is_finished()) return;
  const Stopwatch watch(sample_seconds_);
  if (work.n_hidden > 0) {
    sequence.prompt_results().push_hidden(hidden(first_hidden, static_cast<std::size_t>(work.n_hidden)), n_embd_);
  }
  take_prompt_rows(work, first_logits);
  if (sequence.n_remaining() > 0) return;
  if (sequence.wants_answer()) {
    choose(sequence, logits(first_logits + static_cast<std::size_t>(work.n_logits) - 1));
  } else {
    sequence.prompt_done();
  }
}

void StepLoop::take_prompt_rows(const Scheduler::Work& work, std::size_t first_logits) {
  PromptResults& results = work.sequence->prompt_results();
  for (int i = 0; i < work.n_logits; ++i) {
    const int position = work.sequence->n_computed - work.n_logits + i + 1;  // of the token that the row tells of
    if (!results.wants_logprob(position)) continue;
    logprobs_.scan(logits(first_logits + static_cast<std::size_t>(i)));
    if (results.n_top() > 0) logprobs_.top(results.n_top(), results.next_top());
    const TokenId id = work.sequence->tokens()[static_cast<std::size_t>(position)];
    results.push({id, logprobs_.of(id)});
  }
}

void StepLoop::choose(Sequence& sequence, std::span<float> logits) {
  const bool wants_logprobs = sequence.wants_logprobs();
  if (wants_logprobs) {
    std::ranges::copy(logits, raw_logits_.begin());
    logprobs_.scan(raw_logits_);
    logprobs_.top(sequence.request().n_top_logprobs, sequence.next_top_logprobs());
  }
  std::span<const std::uint64_t> mask;
  if (sequence.is_constrained()) {
    if (auto filled = sequence.fill_mask(mask_); !filled) {
      sequence.finish(Finish::kFailed, std::move(filled).error());
      return;
    }
    mask = mask_;
  }
  const auto chosen = sampler_.sample({.logits = logits,
                                       .mask = mask,
                                       .options = &sequence.request().sample,
                                       .counts = sequence.counts(),
                                       .forbidden = sequence.forbidden(),
                                       .position = static_cast<std::uint64_t>(sequence.n_tokens())});
  if (!chosen) {
    sequence.finish(Finish::kFailed, nothing_to_choose(!mask.empty()));
    return;
  }
  const int n_loops = sequence.n_loops();
  const int n_thought = sequence.n_thought();
  const int n_generated = sequence.n_generated();
  sequence.accept(*chosen, wants_logprobs ? logprobs_.of(*chosen) : 0);
  const int n_new_thought = sequence.n_thought() - n_thought;
  engine::add(counters_.n_thought_tokens, static_cast<std::uint64_t>(n_new_thought));
  engine::add(counters_.n_answer_tokens,
              static_cast<std::uint64_t>(sequence.n_generated() - n_generated - n_new_thought));
  if (sequence.n_loops() > n_loops) engine::add(counters_.n_loops_stopped, 1);
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
    count_end(*sequence);
    update_counters();
    if (options_.on_end) options_.on_end(*sequence);
    const Stopwatch watch(deliver_seconds_);
    sequence->deliver_end();
  });
}

void StepLoop::count_end(const Sequence& sequence) {
  if (sequence.request().idle) {
    counters_.n_idle.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  counters_.n_in_flight.fetch_sub(1, std::memory_order_relaxed);
  engine::add(counters_.n_finished[static_cast<std::size_t>(sequence.finish_reason())], 1);
  engine::add(counters_.n_timeouts[static_cast<std::size_t>(sequence.time_limit())], 1);
  if (const double seconds = sequence.seconds_since_prepared(); seconds > 0) {
    const double mean = counters_.mean_request_seconds.load(std::memory_order_relaxed);
    counters_.mean_request_seconds.store(mean == 0 ? seconds : 0.9 * mean + 0.1 * seconds, std::memory_order_relaxed);
  }
}

void StepLoop::update_counters() {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  counters_.n_running.store(scheduler_.n_running(), kRelaxed);
  counters_.n_pages_free.store(static_cast<std::uint64_t>(pool_.n_free()), kRelaxed);
  counters_.n_pages_cached.store(index_ ? static_cast<std::uint64_t>(index_->n_pages()) : 0, kRelaxed);
  counters_.n_cached_tokens.store(scheduler_.n_cached_tokens(), kRelaxed);
  counters_.n_preemptions.store(scheduler_.n_preemptions(), kRelaxed);
}

void StepLoop::tell_queue() {
  const WaitingLine& waiting = scheduler_.waiting();
  if (waiting.version() == told_version_) return;
  told_version_ = waiting.version();
  int place = 0;
  waiting.for_each_in_turn([&place](Sequence& sequence) { sequence.deliver_queue_place(place++); });
}

std::vector<std::pair<std::string, double>> StepLoop::phase_seconds() const {
  auto phases = runner_.phase_seconds();
  phases.emplace_back("schedule", schedule_seconds_);
  phases.emplace_back("sample", sample_seconds_);
  phases.emplace_back("deliver", deliver_seconds_);
  return phases;
}

}  // namespace reckon::engine
