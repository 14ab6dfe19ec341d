#pragma once
// The weights of a model, packed for this CPU in the order in which a step reads them.
// Owner: the runner. Immutable once packed; read by all compute threads.

#include <functional>
#include <vector>

#include "arch/model_config.h"
#include "base/arena.h"
#include "base/result.h"
#include "kernels/panel.h"
#include "sys/thread_pool.h"

namespace reckon::model {

// One layer. q, k, v take the same activations; gate and up lie in turns of two panels.
struct LayerWeights {
  kernels::MatView q, k, v, o, gate, up, down;
  std::vector<float> attn_norm;  // [n_embd]
  std::vector<float> ffn_norm;   // [n_embd]
  std::vector<float> qkv_bias;   // [q_size + 2 * kv_size], zeros where the model has none
  std::vector<float> q_norm;     // [head_size], empty: none
  std::vector<float> k_norm;
  bool key_is_f32 = false;  // keys too large for f16 (see kWideKeyBias)
};

struct Weights {
  std::vector<LayerWeights> layers;
  std::vector<float> output_norm;  // [n_embd]
  kernels::MatView head;           // [n_vocab] rows
  Arena arena;
};

// A key bias beyond this makes f16 keys too coarse: at 354 (layer 0 of Qwen2.5-Coder-1.5B) an f16 step is 0.25.
inline constexpr float kWideKeyBias = 64;

using OnPacked = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Packs with all threads of the pool, layer by layer, and gives the file's pages back behind it.
// kInvalidInput where a weight is not finite (the tensor is named), kOutOfMemory.
Result<Weights> pack_weights(const arch::Plan& plan, sys::ThreadPool& pool, bool huge_pages, const OnPacked& on_packed);

}  // namespace reckon::model
