#pragma once
// What a model is on paper: validated once from the file, immutable after.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/tensor_file.h"

namespace reckon::arch {

enum class Architecture { kQwen2, kLlama, kQwen3 };

// Positions to angles. `neox`: pairs are (i, i + dim/2) as Qwen stores them; otherwise (2i, 2i + 1) as GGUF's llama
// does.
struct RopeConfig {
  int n_dims = 0;  // even, <= head_size; the rest of a head is not rotated
  float base = 10000;
  bool neox = true;
  float scale = 1;  // linear scaling: angle = position * scale * base^(-2i/n_dims)
  std::vector<float>
      factors;  // n_dims/2 divisors of the frequencies (Llama 3), from the tensor rope_freqs.weight; empty: ones
  // YaRN (Qwen long context) with its standard ramp (32, 1): used where yarn_factor > 1; `scale` is then 1
  float yarn_factor = 1;
  int yarn_original_context = 0;
};

struct ModelConfig {
  Architecture architecture = Architecture::kQwen2;
  std::string name;
  int n_layers = 0;
  int n_embd = 0;
  int n_ff = 0;
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_size = 0;  // of query, key and value
  int n_vocab = 0;
  int n_context_train = 0;
  float norm_epsilon = 0;
  bool tied_head = false;  // the head is token_embd
  bool qkv_bias = false;
  bool qk_norm = false;  // qwen3: RMS norm of each query and key head
  RopeConfig rope;

  [[nodiscard]] int q_size() const { return n_heads * head_size; }
  [[nodiscard]] int kv_size() const { return n_kv_heads * head_size; }
};

// The tensors of one layer, borrowed from the file. Biases and norms that the architecture lacks are null.
struct LayerTensors {
  const formats::Tensor* attn_norm = nullptr;  // f32 [n_embd]
  const formats::Tensor* q = nullptr;          // [n_embd, q_size]: shape[0] = n_embd
  const formats::Tensor* k = nullptr;
  const formats::Tensor* v = nullptr;
  const formats::Tensor* q_bias = nullptr;  // f32
  const formats::Tensor* k_bias = nullptr;
  const formats::Tensor* v_bias = nullptr;
  const formats::Tensor* q_norm = nullptr;  // f32 [head_size]
  const formats::Tensor* k_norm = nullptr;
  const formats::Tensor* o = nullptr;  // [q_size, n_embd]
  const formats::Tensor* ffn_norm = nullptr;
  const formats::Tensor* gate = nullptr;  // [n_embd, n_ff]
  const formats::Tensor* up = nullptr;
  const formats::Tensor* down = nullptr;  // [n_ff, n_embd]
};

struct TensorPlan {
  const formats::Tensor* token_embd = nullptr;  // [n_embd, n_vocab]
  const formats::Tensor* output_norm = nullptr;
  const formats::Tensor* output = nullptr;  // the head; token_embd itself where tied
  std::vector<LayerTensors> layers;

  // Weight bytes that one decoded token reads: all matrices and the head, not the embedding table.
  [[nodiscard]] std::uint64_t bytes_per_token() const;
  [[nodiscard]] std::uint64_t n_parameters() const;
};

struct Plan {
  ModelConfig config;
  TensorPlan tensors;
};

// Checks every key, relation and shape (security.md 3.2); a bad one is named with what was found and what was expected.
// The file must outlive the plan.
Result<Plan> make_plan(const formats::TensorFile& file);

}  // namespace reckon::arch
