#include "model/step_buffers.h"

#include <algorithm>
#include <new>

#include "kernels/dispatch.h"

namespace reckon::model {
namespace {

std::size_t round_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Carves arrays from the arena; with a null base it only adds up sizes.
class Carver {
 public:
  explicit Carver(std::byte* base) : base_(base) {}

  template <class T>
  T* take(std::size_t n) {
    std::byte* at = base_ == nullptr ? nullptr : base_ + used_;
    used_ += round_up(n * sizeof(T));
    return reinterpret_cast<T*>(at);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

ActivationBuffer carve_activations(Carver& carver, int max_tokens, int n_cols) {
  const int n_groups = (max_tokens + kernels::kTokenGroup - 1) / kernels::kTokenGroup;
  const auto n = static_cast<std::size_t>(n_groups * kernels::kTokenGroup);
  const std::size_t cols = round_up(static_cast<std::size_t>(n_cols));
  ActivationBuffer out;
  // One cache line more than a power of two apart, so that tokens do not fight for the same cache sets.
  out.q_stride = static_cast<std::ptrdiff_t>(cols + 64);
  out.block_stride = static_cast<std::ptrdiff_t>(cols / 32);
  out.x_stride = static_cast<std::ptrdiff_t>(cols + 16);
  out.q = carver.take<std::int8_t>(n * (cols + 64));
  out.scale = carver.take<float>(n * (cols / 32));
  out.sum = carver.take<float>(n * (cols / 32));
  out.sum16 = carver.take<std::int32_t>(n * (cols / 16));
  out.x = carver.take<float>(n * (cols + 16));  // touched only where a matrix has float weights
  return out;
}

std::size_t carve(StepBuffers& buffers, const BufferShape& shape, std::byte* base) {
  Carver carver(base);
  const auto n = static_cast<std::size_t>(shape.max_tokens);
  const int narrow_cols = std::max(shape.n_embd, shape.q_size);
  const int max_cols = std::max(narrow_cols, shape.n_ff);
  buffers.residual = carver.take<float>(n * static_cast<std::size_t>(shape.n_embd));
  buffers.qkv = carver.take<float>(n * static_cast<std::size_t>(shape.q_size + 2 * shape.kv_size));
  buffers.attention = carver.take<float>(n * static_cast<std::size_t>(shape.q_size));
  buffers.narrow = carve_activations(carver, shape.max_tokens, narrow_cols);
  buffers.wide = carve_activations(carver, shape.max_tokens, shape.n_ff);
  buffers.thread = carver.take<ThreadBuffers>(static_cast<std::size_t>(shape.n_threads));
  for (int i = 0; i < shape.n_threads; ++i) {
    auto* scratch = carver.take<std::byte>(kernels::matmul_scratch_bytes(shape.max_tokens, max_cols));
    auto* gate = carver.take<float>(n * 32);
    auto* up = carver.take<float>(n * 32);
    auto* norm = carver.take<float>(static_cast<std::size_t>(shape.n_embd));
    if (base != nullptr)
      new (buffers.thread + i) ThreadBuffers{kernels::make_scratch(scratch, max_cols), gate, up, norm};
  }
  return carver.used();
}

}  // namespace

Result<StepBuffers> StepBuffers::create(const BufferShape& shape) {
  StepBuffers buffers;
  RECKON_TRY(buffers.arena, Arena::create(carve(buffers, shape, nullptr)));
  carve(buffers, shape, buffers.arena.data());
  return buffers;
}

}  // namespace reckon::model
