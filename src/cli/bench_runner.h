#pragma once
// Runs one benchmark over a model::Runner: fixed random tokens, one untimed warm-up, then the timed repeats.

#include <span>
#include <vector>

#include "cli/bench_test_spec.h"
#include "cli/model_runtime.h"

namespace reckon::cli {

struct BenchResult {
  BenchTest test;
  std::vector<double> tokens_per_second;  // one per repeat; of all sequences together
  double gigabytes_per_second = 0;        // kDecode: bytes that the steps had to read, by the median
  double macs_per_second = 0;             // kPrompt: multiply-adds of the matrices, by the median
};

[[nodiscard]] double median(std::span<const double> values);  // 0 for none

// Bytes that one decode step reads at this depth: the weights once, and each sequence's keys and values.
[[nodiscard]] double decode_step_bytes(std::uint64_t weight_bytes, std::uint64_t kv_bytes_per_token,
                                       const BenchTest& test);
// Multiply-adds of all matrices for a prompt; the head works for the last token alone. Attention is not counted.
[[nodiscard]] double prompt_macs(const arch::TensorPlan& plan, int n_tokens);

Outcome<BenchResult> run_bench(ModelRuntime& runtime, const BenchTest& test, int n_repeats);

}  // namespace reckon::cli
