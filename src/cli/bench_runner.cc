#include "cli/bench_runner.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "base/result.h"

namespace reckon::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUpTokens = 8;  // decoded before the clock starts

class Workload {
 public:
  Workload(ModelRuntime& runtime, const BenchTest& test, std::vector<SequencePages> sequences)
      : runtime_(runtime), test_(test), sequences_(std::move(sequences)) {
    std::mt19937 random(20260101);  // the same tokens in every run
    std::uniform_int_distribution<TokenId> token(0, runtime.runner->n_vocab() - 1);
    const auto n = static_cast<std::size_t>(std::max(test.context(), 1));
    tokens_.resize(n);
    for (TokenId& id : tokens_) id = token(random);
    next_.resize(sequences_.size());
    for (TokenId& id : next_) id = token(random);
    spans_.resize(sequences_.size());
    logits_.resize(static_cast<std::size_t>(runtime.runner->n_vocab()) * sequences_.size());
  }

  // Tokens [0, n_tokens) of one sequence, in steps as large as the model takes.
  Outcome<void> prefill(const SequencePages& sequence, int n_tokens) {
    const int step_tokens = runtime_.runner->max_step_tokens();
    for (int start = 0; start < n_tokens; start += step_tokens) {
      const int n = std::min(step_tokens, n_tokens - start);
      const model::StepSpan span{
          .tokens = std::span(tokens_).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(n)),
          .start = start,
          .pages = sequence.covering(start + n),
          .n_logits = start + n == n_tokens ? 1 : 0};
      RECKON_TRY_VOID(run_step({&span, 1}, span.n_logits));
    }
    return {};
  }

  // `n_steps` tokens for each sequence behind `depth`, always the likeliest one.
  Outcome<void> decode(int n_steps) {
    for (int i = 0; i < n_steps; ++i) {
      for (std::size_t s = 0; s < sequences_.size(); ++s) {
        spans_[s] = {.tokens = {&next_[s], 1},
                     .start = test_.depth + i,
                     .pages = sequences_[s].covering(test_.depth + i + 1),
                     .n_logits = 1};
      }
      RECKON_TRY_VOID(run_step(spans_, static_cast<int>(spans_.size())));
      const auto n_vocab = static_cast<std::size_t>(runtime_.runner->n_vocab());
      for (std::size_t s = 0; s < sequences_.size(); ++s) {
        const auto row = std::span(logits_).subspan(s * n_vocab, n_vocab);
        next_[s] = static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
      }
    }
    return {};
  }

  Outcome<void> prepare() {
    if (test_.kind == BenchTest::Kind::kPrompt) {
      return prefill(sequences_.front(), std::min(test_.n_tokens, runtime_.runner->max_step_tokens()));
    }
    for (const SequencePages& sequence : sequences_) RECKON_TRY_VOID(prefill(sequence, test_.depth));
    return decode(std::min(test_.n_tokens, kWarmUpTokens));
  }

  Outcome<void> run() {
    return test_.kind == BenchTest::Kind::kPrompt ? prefill(sequences_.front(), test_.n_tokens)
                                                  : decode(test_.n_tokens);
  }

 private:
  Outcome<void> run_step(std::span<const model::StepSpan> spans, int n_rows) {
    const auto size = static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(runtime_.runner->n_vocab());
    const auto done = runtime_.runner->run({spans}, *runtime_.pages, std::span(logits_).first(size));
    if (!done) return std::unexpected(in_stage(Stage::kWork, done.error()));
    return {};
  }

  ModelRuntime& runtime_;
  const BenchTest& test_;
  std::vector<SequencePages> sequences_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> next_;
  std::vector<model::StepSpan> spans_;
  std::vector<float> logits_;
};

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double decode_step_bytes(std::uint64_t weight_bytes, std::uint64_t kv_bytes_per_token, const BenchTest& test) {
  // Token i reads positions 0 .. depth + i; on average that is depth + (n + 1) / 2.
  const double positions = test.depth + (test.n_tokens + 1) / 2.0;
  return static_cast<double>(weight_bytes) + test.n_sequences * positions * static_cast<double>(kv_bytes_per_token);
}

double prompt_macs(const arch::TensorPlan& plan, int n_tokens) {
  double per_token = 0;
  for (const arch::LayerTensors& layer : plan.layers) {
    for (const formats::Tensor* tensor : {layer.q, layer.k, layer.v, layer.o, layer.gate, layer.up, layer.down}) {
      if (tensor != nullptr) per_token += static_cast<double>(tensor->n_elements());
    }
  }
  const double head = plan.output != nullptr ? static_cast<double>(plan.output->n_elements()) : 0;
  return per_token * n_tokens + head;
}

Outcome<BenchResult> run_bench(ModelRuntime& runtime, const BenchTest& test, int n_repeats) {
  RECKON_TRY(auto sequences, make_sequences(runtime, test.n_sequences, test.context()));
  Workload workload(runtime, test, std::move(sequences));
  RECKON_TRY_VOID(workload.prepare());
  BenchResult result;
  result.test = test;
  const double n_tokens = static_cast<double>(test.n_tokens) * test.n_sequences;
  for (int i = 0; i < n_repeats; ++i) {
    const auto start = Clock::now();
    RECKON_TRY_VOID(workload.run());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.tokens_per_second.push_back(n_tokens / std::max(seconds, 1e-9));
  }
  const double rate = median(result.tokens_per_second);
  if (test.kind == BenchTest::Kind::kDecode) {
    const double steps_per_second = rate / test.n_sequences;
    result.gigabytes_per_second =
        steps_per_second *
        decode_step_bytes(runtime.plan.tensors.bytes_per_token(), runtime.kv_bytes_per_token(), test) / 1e9;
  } else {
    result.macs_per_second = prompt_macs(runtime.plan.tensors, test.n_tokens) * rate / test.n_tokens;
  }
  return result;
}

}  // namespace reckon::cli
