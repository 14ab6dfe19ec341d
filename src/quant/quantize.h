#pragma once
// Numbers to blocks, for the simple types. Bit for bit what gguf-py computes. Thread: any; pure functions.

#include <cstddef>
#include <cstdint>

#include "base/tensor_type.h"

namespace reckon::quant {

// F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0.
[[nodiscard]] bool can_quantize(TensorType type);

// n finite numbers, a multiple of the type's block, to row_bytes(type, n) bytes.
void quantize_row(TensorType type, const float* in, std::int64_t n, std::byte* blocks);

// Valid blocks of any type with random contents and scales so small that numbers stay around 1: data for tests.
void fill_random_blocks(TensorType type, std::int64_t n, std::uint64_t seed, std::byte* blocks);

}  // namespace reckon::quant
