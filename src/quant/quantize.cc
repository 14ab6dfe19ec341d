#include "quant/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "quant/blocks.h"
#include "quant/dequantize.h"
#include "quant/half.h"

namespace reckon::quant {
namespace {

float inverse(float d) { return d == 0 ? 0.0F : 1.0F / d; }

// Nearest step from 0 to top, for a number that is not negative but for rounding.
std::uint8_t step(float scaled, float half, int top) {
  return static_cast<std::uint8_t>(std::min(static_cast<int>(scaled + half), top));
}

float with_largest_magnitude(const float* in) {
  float largest = in[0];
  for (int i = 1; i < kSmallBlock; ++i) {
    if (std::fabs(in[i]) > std::fabs(largest)) largest = in[i];
  }
  return largest;
}

void pack_nibbles(const std::uint8_t (&q)[kSmallBlock], std::uint8_t (&qs)[16]) {
  for (int i = 0; i < 16; ++i) qs[i] = static_cast<std::uint8_t>((q[i] & 0x0f) | q[i + 16] << 4);
}

void pack_fifth_bits(const std::uint8_t (&q)[kSmallBlock], std::uint8_t (&qh)[4]) {
  std::fill_n(qh, 4, std::uint8_t{0});
  for (int i = 0; i < kSmallBlock; ++i) qh[i / 8] = static_cast<std::uint8_t>(qh[i / 8] | (q[i] >> 4) << (i % 8));
}

// Steps around zero: the number of largest magnitude becomes -half_range.
F16Bits encode_symmetric(const float* in, int half_range, std::uint8_t (&q)[kSmallBlock]) {
  const float d = with_largest_magnitude(in) / static_cast<float>(-half_range);
  const float id = inverse(d);
  const float half = static_cast<float>(half_range) + 0.5F;
  for (int i = 0; i < kSmallBlock; ++i) q[i] = step(in[i] * id, half, 2 * half_range - 1);
  return f32_to_f16(d);
}

// Steps from the smallest number up.
void encode_offset(const float* in, int top, F16Bits& d_bits, F16Bits& m_bits, std::uint8_t (&q)[kSmallBlock]) {
  const auto [min, max] = std::minmax_element(in, in + kSmallBlock);
  const float d = (*max - *min) / static_cast<float>(top);
  const float id = inverse(d);
  for (int i = 0; i < kSmallBlock; ++i) q[i] = step((in[i] - *min) * id, 0.5F, top);
  d_bits = f32_to_f16(d);
  m_bits = f32_to_f16(*min);
}

void encode(const float* in, BlockQ4_0& block) {
  std::uint8_t q[kSmallBlock];
  block.d = encode_symmetric(in, 8, q);
  pack_nibbles(q, block.qs);
}

void encode(const float* in, BlockQ4_1& block) {
  std::uint8_t q[kSmallBlock];
  encode_offset(in, 15, block.d, block.m, q);
  pack_nibbles(q, block.qs);
}

void encode(const float* in, BlockQ5_0& block) {
  std::uint8_t q[kSmallBlock];
  block.d = encode_symmetric(in, 16, q);
  pack_nibbles(q, block.qs);
  pack_fifth_bits(q, block.qh);
}

void encode(const float* in, BlockQ5_1& block) {
  std::uint8_t q[kSmallBlock];
  encode_offset(in, 31, block.d, block.m, q);
  pack_nibbles(q, block.qs);
  pack_fifth_bits(q, block.qh);
}

void encode(const float* in, BlockQ8_0& block) {
  const float d = std::fabs(with_largest_magnitude(in)) / 127.0F;
  const float id = inverse(d);
  block.d = f32_to_f16(d);
  for (int i = 0; i < kSmallBlock; ++i) block.qs[i] = static_cast<std::int8_t>(std::round(in[i] * id));
}

template <class Block>
void encode_row(const float* in, std::int64_t n, std::byte* blocks) {
  for (std::int64_t i = 0; i < n / kSmallBlock; ++i) {
    Block block;
    encode(in + i * kSmallBlock, block);
    std::memcpy(blocks + i * static_cast<std::int64_t>(sizeof(Block)), &block, sizeof(Block));
  }
}

template <class Convert>
void convert_row(const float* in, std::int64_t n, std::byte* out, Convert convert) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint16_t bits = convert(in[i]);
    std::memcpy(out + 2 * i, &bits, sizeof(bits));
  }
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64: the same everywhere, unlike std distributions
  state += 0x9e37'79b9'7f4a'7c15U;
  std::uint64_t z = state;
  z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9U;
  z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebU;
  return z ^ z >> 31;
}

// +-(1..2) * 2^exponent
float random_scale(std::uint64_t& state, int exponent) {
  const std::uint64_t bits = next_random(state);
  const float magnitude = std::ldexp(1.0F + static_cast<float>(bits >> 40) * 0x1p-24F, exponent);
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

template <class Block>
void random_row(std::int64_t n, std::uint64_t& state, std::byte* blocks, int exponent, F16Bits Block::* second) {
  const std::int64_t n_blocks = n / type_info(Block::kType)->block_elements;
  for (std::int64_t i = 0; i < n_blocks; ++i) {
    std::byte raw[sizeof(Block)];
    for (std::byte& byte : raw) byte = static_cast<std::byte>(next_random(state));
    auto block = load_block<Block>(raw, 0);
    block.d = f32_to_f16(random_scale(state, exponent));
    if (second != nullptr) block.*second = f32_to_f16(random_scale(state, exponent));
    std::memcpy(blocks + i * static_cast<std::int64_t>(sizeof(Block)), &block, sizeof(Block));
  }
}

}  // namespace

bool can_quantize(TensorType type) {
  switch (type) {
    case TensorType::kF32:
    case TensorType::kF16:
    case TensorType::kBF16:
    case TensorType::kQ4_0:
    case TensorType::kQ4_1:
    case TensorType::kQ5_0:
    case TensorType::kQ5_1:
    case TensorType::kQ8_0:
      return true;
    default:
      return false;
  }
}

void quantize_row(TensorType type, const float* in, std::int64_t n, std::byte* blocks) {
  RECKON_CHECK(can_quantize(type));
  const std::size_t n_bytes = row_bytes(type, n);
  switch (type) {
    case TensorType::kF32:
      std::memcpy(blocks, in, n_bytes);
      return;
    case TensorType::kF16:
      return convert_row(in, n, blocks, f32_to_f16);
    case TensorType::kBF16:
      return convert_row(in, n, blocks, f32_to_bf16);
    case TensorType::kQ4_0:
      return encode_row<BlockQ4_0>(in, n, blocks);
    case TensorType::kQ4_1:
      return encode_row<BlockQ4_1>(in, n, blocks);
    case TensorType::kQ5_0:
      return encode_row<BlockQ5_0>(in, n, blocks);
    case TensorType::kQ5_1:
      return encode_row<BlockQ5_1>(in, n, blocks);
    default:
      return encode_row<BlockQ8_0>(in, n, blocks);
  }
}

void fill_random_blocks(TensorType type, std::int64_t n, std::uint64_t seed, std::byte* blocks) {
  (void)row_bytes(type, n);
  std::uint64_t state = seed;
  // The exponent makes up for the largest step of the type: 2^3 for 4 bits, 2^11 for 6-bit scales of 6-bit steps ...
  switch (type) {
    case TensorType::kF32:
    case TensorType::kF16:
    case TensorType::kBF16:
      for (std::int64_t i = 0; i < n; ++i) {
        const float number = random_scale(state, -1 - static_cast<int>(next_random(state) % 6));
        const auto stride = static_cast<std::int64_t>(row_bytes(type, 1));
        quantize_row(type, &number, 1, blocks + i * stride);
      }
      return;
    case TensorType::kQ4_0:
      return random_row<BlockQ4_0>(n, state, blocks, -4, nullptr);
    case TensorType::kQ4_1:
      return random_row(n, state, blocks, -4, &BlockQ4_1::m);
    case TensorType::kQ5_0:
      return random_row<BlockQ5_0>(n, state, blocks, -5, nullptr);
    case TensorType::kQ5_1:
      return random_row(n, state, blocks, -5, &BlockQ5_1::m);
    case TensorType::kQ8_0:
      return random_row<BlockQ8_0>(n, state, blocks, -8, nullptr);
    case TensorType::kIQ4_NL:
      return random_row<BlockIQ4_NL>(n, state, blocks, -8, nullptr);
    case TensorType::kQ2_K:
      return random_row(n, state, blocks, -6, &BlockQ2_K::dmin);
    case TensorType::kQ3_K:
      return random_row<BlockQ3_K>(n, state, blocks, -8, nullptr);
    case TensorType::kQ4_K:
      return random_row(n, state, blocks, -10, &BlockQ4_K::dmin);
    case TensorType::kQ5_K:
      return random_row(n, state, blocks, -11, &BlockQ5_K::dmin);
    case TensorType::kQ6_K:
      return random_row<BlockQ6_K>(n, state, blocks, -13, nullptr);
    case TensorType::kIQ4_XS:
      return random_row<BlockIQ4_XS>(n, state, blocks, -13, nullptr);
  }
}

}  // namespace reckon::quant
