#include "quant/dequantize.h"

#include "base/check.h"
#include "quant/blocks.h"
#include "quant/half.h"

// The order of operations is that of gguf-py, and no multiply-add is fused (-ffp-contract=off), so results are equal.
namespace reckon::quant {
namespace {

void decode(const BlockQ4_0& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((block.qs[i] & 0x0f) - 8);
    out[i + 16] = d * static_cast<float>((block.qs[i] >> 4) - 8);
  }
}

void decode(const BlockQ4_1& block, float* out) {
  const float d = f16_to_f32(block.d);
  const float m = f16_to_f32(block.m);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(block.qs[i] & 0x0f) + m;
    out[i + 16] = d * static_cast<float>(block.qs[i] >> 4) + m;
  }
}

// Element i of a block whose fifth bits lie in qh.
int five_bits(const std::uint8_t (&qs)[16], const std::uint8_t (&qh)[4], int i) {
  const int low = i < 16 ? qs[i] & 0x0f : qs[i - 16] >> 4;
  return low | (qh[i / 8] >> (i % 8) & 1) << 4;
}

void decode(const BlockQ5_0& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int i = 0; i < kSmallBlock; ++i) out[i] = d * static_cast<float>(five_bits(block.qs, block.qh, i) - 16);
}

void decode(const BlockQ5_1& block, float* out) {
  const float d = f16_to_f32(block.d);
  const float m = f16_to_f32(block.m);
  for (int i = 0; i < kSmallBlock; ++i) out[i] = d * static_cast<float>(five_bits(block.qs, block.qh, i)) + m;
}

void decode(const BlockQ8_0& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int i = 0; i < kSmallBlock; ++i) out[i] = static_cast<float>(block.qs[i]) * d;
}

void decode(const BlockIQ4_NL& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(kIq4Values[block.qs[i] & 0x0f]);
    out[i + 16] = d * static_cast<float>(kIq4Values[block.qs[i] >> 4]);
  }
}

// Element e of 256 two-bit fields.
int two_bits(const std::uint8_t (&qs)[64], int e) { return qs[e / 128 * 32 + e % 32] >> (e % 128 / 32 * 2) & 3; }

void decode(const BlockQ2_K& block, float* out) {
  const float d = f16_to_f32(block.d);
  const float dmin = f16_to_f32(block.dmin);
  for (int g = 0; g < 16; ++g) {
    const float scale = d * static_cast<float>(block.scales[g] & 0x0f);
    const float minimum = dmin * static_cast<float>(block.scales[g] >> 4);
    for (int e = 16 * g; e < 16 * g + 16; ++e) out[e] = scale * static_cast<float>(two_bits(block.qs, e)) - minimum;
  }
}

void decode(const BlockQ3_K& block, float* out) {
  const float d = f16_to_f32(block.d);
  std::int8_t scales[16];
  unpack_q3_scales(block.scales, scales);
  for (int g = 0; g < 16; ++g) {
    const float scale = d * static_cast<float>(scales[g]);
    for (int e = 16 * g; e < 16 * g + 16; ++e) {
      const int offset = (block.hmask[e % 32] >> (e / 32) & 1) != 0 ? 0 : 4;  // a set bit means no offset
      out[e] = scale * static_cast<float>(two_bits(block.qs, e) - offset);
    }
  }
}

// Q4_K and Q5_K: eight groups of 32 with scale and minimum; `quant(g, i)` is element i of group g.
template <class Block, class Quant>
void decode_k_groups(const Block& block, float* out, Quant quant) {
  const float d = f16_to_f32(block.d);
  const float dmin = f16_to_f32(block.dmin);
  std::uint8_t scales[8];
  std::uint8_t minima[8];
  unpack_k_scales(block.scales, scales, minima);
  for (int g = 0; g < 8; ++g) {
    const float scale = d * static_cast<float>(scales[g]);
    const float minimum = dmin * static_cast<float>(minima[g]);
    for (int i = 0; i < 32; ++i) out[32 * g + i] = scale * static_cast<float>(quant(g, i)) - minimum;
  }
}

void decode(const BlockQ4_K& block, float* out) {
  decode_k_groups(block, out, [&](int g, int i) { return block.qs[g / 2 * 32 + i] >> (g % 2 * 4) & 0x0f; });
}

void decode(const BlockQ5_K& block, float* out) {
  decode_k_groups(block, out, [&](int g, int i) {
    const int low = block.qs[g / 2 * 32 + i] >> (g % 2 * 4) & 0x0f;
    return low | (block.qh[i] >> g & 1) << 4;
  });
}

void decode(const BlockQ6_K& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int e = 0; e < kSuperBlock; ++e) {
    const int half = e / 128;
    const int low = block.ql[half * 64 + e % 64] >> (e % 128 / 64 * 4) & 0x0f;
    const int high = block.qh[half * 32 + e % 32] >> (e % 128 / 32 * 2) & 3;
    const float scale = d * static_cast<float>(block.scales[e / 16]);
    out[e] = scale * static_cast<float>((low | high << 4) - 32);
  }
}

void decode(const BlockIQ4_XS& block, float* out) {
  const float d = f16_to_f32(block.d);
  for (int g = 0; g < 8; ++g) {
    const int low = block.scales_l[g / 2] >> (g % 2 * 4) & 0x0f;
    const int high = block.scales_h >> (2 * g) & 3;
    const float scale = d * static_cast<float>((low | high << 4) - 32);
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t pair = block.qs[16 * g + i];
      out[32 * g + i] = scale * static_cast<float>(kIq4Values[pair & 0x0f]);
      out[32 * g + 16 + i] = scale * static_cast<float>(kIq4Values[pair >> 4]);
    }
  }
}

template <class Block>
void decode_row(const std::byte* blocks, std::int64_t n, float* out) {
  const std::int64_t n_elements = type_info(Block::kType)->block_elements;
  for (std::int64_t i = 0; i < n / n_elements; ++i) decode(load_block<Block>(blocks, i), out + i * n_elements);
}

}  // namespace

std::size_t row_bytes(TensorType type, std::int64_t n) {
  const TypeInfo* info = type_info(type);
  RECKON_CHECK(info != nullptr && n >= 0 && n % info->block_elements == 0);
  return static_cast<std::size_t>(n / info->block_elements * info->block_bytes);
}

void dequantize_row(TensorType type, const std::byte* blocks, std::int64_t n, float* out) {
  const std::size_t n_bytes = row_bytes(type, n);
  switch (type) {
    case TensorType::kF32:
      std::memcpy(out, blocks, n_bytes);
      return;
    case TensorType::kF16:
      for (std::int64_t i = 0; i < n; ++i) out[i] = f16_to_f32(load_block<std::uint16_t>(blocks, i));
      return;
    case TensorType::kBF16:
      for (std::int64_t i = 0; i < n; ++i) out[i] = bf16_to_f32(load_block<std::uint16_t>(blocks, i));
      return;
    case TensorType::kQ4_0:
      return decode_row<BlockQ4_0>(blocks, n, out);
    case TensorType::kQ4_1:
      return decode_row<BlockQ4_1>(blocks, n, out);
    case TensorType::kQ5_0:
      return decode_row<BlockQ5_0>(blocks, n, out);
    case TensorType::kQ5_1:
      return decode_row<BlockQ5_1>(blocks, n, out);
    case TensorType::kQ8_0:
      return decode_row<BlockQ8_0>(blocks, n, out);
    case TensorType::kQ2_K:
      return decode_row<BlockQ2_K>(blocks, n, out);
    case TensorType::kQ3_K:
      return decode_row<BlockQ3_K>(blocks, n, out);
    case TensorType::kQ4_K:
      return decode_row<BlockQ4_K>(blocks, n, out);
    case TensorType::kQ5_K:
      return decode_row<BlockQ5_K>(blocks, n, out);
    case TensorType::kQ6_K:
      return decode_row<BlockQ6_K>(blocks, n, out);
    case TensorType::kIQ4_NL:
      return decode_row<BlockIQ4_NL>(blocks, n, out);
    case TensorType::kIQ4_XS:
      return decode_row<BlockIQ4_XS>(blocks, n, out);
  }
  RECKON_CHECK(false);
}

}  // namespace reckon::quant
