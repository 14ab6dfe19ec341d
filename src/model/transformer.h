#pragma once
// The forward pass of Qwen2, Qwen3 and Llama: one fixed program, run by all compute threads, with barriers between
// phases. Shapes: x [n_tokens][n_embd], one row a token of the step. Owner: engine. Thread: run() on the engine thread.

#include <atomic>
#include <memory>
#include <vector>

#include "arch/model_config.h"
#include "model/attention.h"
#include "model/load.h"
#include "model/phases.h"
#include "model/rope_table.h"
#include "model/runner.h"
#include "model/step_buffers.h"
#include "model/weights.h"
#include "model/work.h"

namespace reckon::model {

class Transformer final : public Runner {
 public:
  static Result<std::unique_ptr<Transformer>> create(const arch::Plan& plan, sys::ThreadPool& pool,
                                                     const LoadOptions& options);

  [[nodiscard]] int n_vocab() const override { return config_.n_vocab; }
  [[nodiscard]] int n_embd() const override { return config_.n_embd; }
  [[nodiscard]] std::size_t page_bytes() const override { return kv_layout_.page_bytes(); }
  [[nodiscard]] int max_step_tokens() const override { return options_.max_step_tokens; }
  [[nodiscard]] int max_step_logits() const override { return options_.max_step_logits; }
  Result<void> run(const Step& step, const kv::PagePool& pool, std::span<float> logits) override;
  [[nodiscard]] std::span<const std::byte> weights() const override {
    return {weights_.arena.data(), weights_.arena.size()};
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> phase_seconds() const override;

 private:
  // One token of the current step.
  struct Token {
    TokenId id;
    int position;
    const StepSpan* span;
  };

  explicit Transformer(sys::ThreadPool& pool) : pool_(pool) {}
  void gather(const Step& step);  // fills tokens_, logit_rows_ and hidden_rows_
  void run_thread(int i_thread, const kv::PagePool& pages, float* logits, float* hidden);
  void run_layer(int i_thread, int i_layer, const kv::PagePool& pages);
  void end_phase(int i_thread, Phase phase);

  void embed(int i_thread);
  void norm(int i_thread, const float* weight, bool for_float);
  void quantize_attention(int i_thread, bool for_float);
  void matmul(int i_thread, const kernels::MatView& matrix, const ActivationBuffer& in, int n_tokens,
              const kernels::MatmulOutput& out);
  void project_qkv(int i_thread, const LayerWeights& layer);
  void rotate_and_store(int i_thread, int i_layer, const LayerWeights& layer, const kv::PagePool& pages);
  void attend(int i_thread, int i_layer, const kv::PagePool& pages);
  void gate_up(int i_thread, const LayerWeights& layer);
  void activate_unit(int i_thread, int i_unit, const LayerWeights& layer);
  void hidden_states(int i_thread, float* hidden);
  void head(int i_thread, float* logits);
  [[nodiscard]] int n_tokens() const { return static_cast<int>(tokens_.size()); }
  std::atomic<int>& next_counter(int i_thread);

  arch::ModelConfig config_;
  const formats::Tensor* token_embd_ = nullptr;
  LoadOptions options_;
  sys::ThreadPool& pool_;
  const kernels::Table* table_ = nullptr;
  Weights weights_;
  KvLayout kv_layout_;
  RopeTable rope_;
  StepBuffers buffers_;
  Attention attention_;
  WorkCounters counters_{0};
  std::vector<std::size_t> i_counter_;   // per thread: how many counters of this step it has passed
  std::vector<Token> tokens_;            // of the step, capacity reserved
  std::vector<int> logit_rows_;          // rows of x whose logits are wanted
  std::vector<int> hidden_rows_;         // rows of x whose final hidden states are wanted
  std::atomic<int> first_bad_row_ = -1;  // a row of logits that is not finite
  PhaseTimer timer_;
};

}  // namespace reckon::model
