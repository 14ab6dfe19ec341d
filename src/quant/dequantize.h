#pragma once
// Blocks to numbers: the slow and obviously right twin of every kernel. Bit for bit what gguf-py computes.
// Thread: any; pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/tensor_type.h"

namespace reckon::quant {

// Bytes of n elements; n is a multiple of the type's block.
[[nodiscard]] std::size_t row_bytes(TensorType type, std::int64_t n);

// Writes n numbers to `out` from row_bytes(type, n) bytes of `blocks`, which need no alignment.
// n must be a multiple of the type's block (the reader of model files made sure).
void dequantize_row(TensorType type, const std::byte* blocks, std::int64_t n, float* out);

// kInvalidInput with the tensor's name where a number, or the scale of a block, is NaN or infinite: a damaged file that
// would otherwise come out as endless "!!!!". `data` holds whole blocks: a tensor, or a part of one while it is in
// cache.
Result<void> check_finite(TensorType type, std::span<const std::byte> data, std::string_view name);

}  // namespace reckon::quant
