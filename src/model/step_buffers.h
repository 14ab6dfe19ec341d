#pragma once
// Everything that a step writes to between its phases: allocated once, for the largest step.

#include <cstddef>
#include <cstdint>

#include "base/arena.h"
#include "base/result.h"
#include "kernels/table.h"

namespace reckon::model {

// Activations of up to n tokens and n_cols columns, quantised and as floats.
struct ActivationBuffer {
  std::int8_t* q = nullptr;
  float* scale = nullptr;
  float* sum = nullptr;
  std::int32_t* sum16 = nullptr;
  float* x = nullptr;
  std::ptrdiff_t q_stride = 0;
  std::ptrdiff_t block_stride = 0;
  std::ptrdiff_t x_stride = 0;

  [[nodiscard]] kernels::Activations view() const {
    return {q, scale, sum, sum16, x, q_stride, block_stride, x_stride};
  }
  // Where token t's block i_block and those after it go.
  [[nodiscard]] kernels::ActivationRow row(int token, int i_block = 0) const {
    const std::ptrdiff_t block = token * block_stride + i_block;
    return {q + token * q_stride + static_cast<std::ptrdiff_t>(i_block) * 32, scale + block, sum + block,
            sum16 + 2 * block};
  }
  [[nodiscard]] float* x_row(int token) const { return x + token * x_stride; }
};

struct BufferShape {
  int max_tokens = 0;
  int n_embd = 0;
  int q_size = 0;
  int kv_size = 0;
  int n_ff = 0;
  int n_threads = 0;
};

// Memory of one compute thread.
struct ThreadBuffers {
  kernels::MatmulScratch matmul;
  float* gate = nullptr;  // [max_tokens][32]
  float* up = nullptr;    // [max_tokens][32]
  float* norm = nullptr;  // [n_embd]
};

struct StepBuffers {
  static Result<StepBuffers> create(const BufferShape& shape);

  float* residual = nullptr;        // [max_tokens][n_embd]
  float* qkv = nullptr;             // [max_tokens][q_size + 2 * kv_size]
  float* attention = nullptr;       // [max_tokens][q_size]
  ActivationBuffer narrow;          // input of qkv, output and gate/up matrices: max(n_embd, q_size) columns
  ActivationBuffer wide;            // input of the down matrix: n_ff columns
  ThreadBuffers* thread = nullptr;  // [n_threads]
  Arena arena;
};

}  // namespace reckon::model
