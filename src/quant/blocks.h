#pragma once
// How quantised blocks lie in a file, byte for byte. f16 fields are raw bits (quant/half.h).
// A block in a mapped file may be unaligned: copy it out with load_block().
// Source: the layouts of ggml (ggml-common.h); the formulas are those of gguf-py's dequantisation.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/tensor_type.h"

namespace reckon::quant {

using F16Bits = std::uint16_t;

inline constexpr int kSmallBlock = 32;   // elements of a Q4_0 .. Q8_0, IQ4_NL block
inline constexpr int kSuperBlock = 256;  // elements of a K block and of IQ4_XS

// In the small blocks, byte i of qs holds elements i (low nibble) and i + 16 (high nibble).
struct BlockQ4_0 {  // x = d * (q - 8)
  static constexpr TensorType kType = TensorType::kQ4_0;
  F16Bits d;
  std::uint8_t qs[16];
};
struct BlockQ4_1 {  // x = d * q + m
  static constexpr TensorType kType = TensorType::kQ4_1;
  F16Bits d, m;
  std::uint8_t qs[16];
};
struct BlockQ5_0 {  // x = d * (q - 16); bit i of qh is bit 4 of element i
  static constexpr TensorType kType = TensorType::kQ5_0;
  F16Bits d;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
struct BlockQ5_1 {  // x = d * q + m
  static constexpr TensorType kType = TensorType::kQ5_1;
  F16Bits d, m;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
struct BlockQ8_0 {  // x = d * q
  static constexpr TensorType kType = TensorType::kQ8_0;
  F16Bits d;
  std::int8_t qs[32];
};
struct BlockIQ4_NL {  // x = d * kIq4Values[q]
  static constexpr TensorType kType = TensorType::kIQ4_NL;
  F16Bits d;
  std::uint8_t qs[16];
};

// In the super-blocks of 2 and 3 bits, byte 32 h + i of qs holds elements 128 h + 32 j + i in its bits 2j, 2j + 1.
struct BlockQ2_K {  // x = d * sc * q - dmin * m, a group is 16 elements; scales[g] = sc | m << 4
  static constexpr TensorType kType = TensorType::kQ2_K;
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  F16Bits d, dmin;
};
struct BlockQ3_K {  // x = d * (sc - 32) * (q - 4), bit 2 of element 32 j + i is bit j of hmask[i]; sc:
                    // unpack_q3_scales()
  static constexpr TensorType kType = TensorType::kQ3_K;
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  F16Bits d;
};

// In the super-blocks of 4 and 5 bits, byte 32 p + i of qs holds elements 64 p + i (low) and 64 p + 32 + i (high).
struct BlockQ4_K {  // x = d * sc * q - dmin * m, a group is 32 elements; sc and m: unpack_k_scales()
  static constexpr TensorType kType = TensorType::kQ4_K;
  F16Bits d, dmin;
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};
struct BlockQ5_K {  // the same; bit 4 of element 32 g + i is bit g of qh[i]
  static constexpr TensorType kType = TensorType::kQ5_K;
  F16Bits d, dmin;
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};
struct BlockQ6_K {  // x = d * scales[g] * (q - 32), a group is 16 elements
  static constexpr TensorType kType = TensorType::kQ6_K;
  std::uint8_t ql[128];  // byte 64 h + i: elements 128 h + i (low), 128 h + 64 + i (high)
  std::uint8_t qh[64];   // byte 32 h + i, bits 2j: bits 4, 5 of element 128 h + 32 j + i
  std::int8_t scales[16];
  F16Bits d;
};
struct BlockIQ4_XS {  // x = d * (sc - 32) * kIq4Values[q], a group is 32 elements
  static constexpr TensorType kType = TensorType::kIQ4_XS;
  F16Bits d;
  std::uint16_t scales_h;    // bits 2g: bits 4, 5 of sc of group g
  std::uint8_t scales_l[4];  // nibble g: the low bits
  std::uint8_t qs[128];      // byte 16 g + i: elements 32 g + i (low), 32 g + 16 + i (high)
};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24);
static_assert(sizeof(BlockQ8_0) == 34 && sizeof(BlockIQ4_NL) == 18 && sizeof(BlockIQ4_XS) == 136);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

// The uneven steps of IQ4_NL and IQ4_XS, closer together around zero.
inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

// Block i of a row.
template <class Block>
[[nodiscard]] Block load_block(const std::byte* row, std::int64_t i) {
  static_assert(std::is_trivially_copyable_v<Block>);
  Block block;
  std::memcpy(&block, row + i * static_cast<std::int64_t>(sizeof(Block)), sizeof(Block));
  return block;
}

// 6-bit scales and minima of the 8 groups of a Q4_K or Q5_K block.
constexpr void unpack_k_scales(const std::uint8_t (&packed)[12], std::uint8_t (&scales)[8], std::uint8_t (&minima)[8]) {
  for (int g = 0; g < 4; ++g) {
    scales[g] = packed[g] & 0x3f;
    minima[g] = packed[g + 4] & 0x3f;
    scales[g + 4] = static_cast<std::uint8_t>((packed[g + 8] & 0x0f) | (packed[g] >> 2 & 0x30));
    minima[g + 4] = static_cast<std::uint8_t>(packed[g + 8] >> 4 | (packed[g + 4] >> 2 & 0x30));
  }
}

// The 16 scales of a Q3_K block, 32 taken off already: -32..31.
constexpr void unpack_q3_scales(const std::uint8_t (&packed)[12], std::int8_t (&scales)[16]) {
  for (int g = 0; g < 16; ++g) {
    const int low = g < 8 ? packed[g] & 0x0f : packed[g - 8] >> 4;
    const int high = packed[8 + g % 4] >> (2 * (g / 4)) & 3;
    scales[g] = static_cast<std::int8_t>((low | high << 4) - 32);
  }
}

}  // namespace reckon::quant
