#include "kernels/pack.h"

#include <algorithm>
#include <cstring>

namespace reckon::kernels {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint8_t;

// One row of one span (up to 256 columns), unpacked: unsigned codes and the raw scale fields of its type.
struct RowSpan {
  uint8_t code[256];
  uint8_t scale[16];  // raw scales: 6-bit (K4), int8 bits (kInt8, kInt8x32), 4-bit (kNibble)
  uint8_t min[16];
  uint16_t d[8];  // f16 bits: per block for kHalf*, d[0] otherwise
  uint16_t m[8];  // f16 bits of mins; m[0] is dmin for superblocks
};

uint16_t half_at(const uint8_t* p) {
  uint16_t bits;
  std::memcpy(&bits, p, 2);
  return bits;
}

// Nibbles of 16 bytes: the low halves are the first 16 codes, the high ones the last 16.
void nibbles_16(const uint8_t* bytes, uint8_t* code) {
  for (int i = 0; i < 16; ++i) code[i] = bytes[i] & 15;
  for (int i = 0; i < 16; ++i) code[16 + i] = static_cast<uint8_t>(bytes[i] >> 4);
}

void fifth_bits(uint32_t high, uint8_t* code) {
  for (int i = 0; i < 32; ++i) code[i] = static_cast<uint8_t>(code[i] | ((high >> i & 1) << 4));
}

// Types of 32 columns a block: Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 IQ4_NL.
void read_small_blocks(TensorType type, const uint8_t* block, int n_blocks, RowSpan& out) {
  for (int b = 0; b < n_blocks; ++b) {
    uint8_t* code = out.code + 32 * b;
    out.d[b] = half_at(block);
    switch (type) {
      case TensorType::kQ4_0:
      case TensorType::kIQ4_NL:
        nibbles_16(block + 2, code);
        block += 18;
        break;
      case TensorType::kQ4_1:
        out.m[b] = half_at(block + 2);
        nibbles_16(block + 4, code);
        block += 20;
        break;
      case TensorType::kQ5_0: {
        uint32_t high;
        std::memcpy(&high, block + 2, 4);
        nibbles_16(block + 6, code);
        fifth_bits(high, code);
        block += 22;
        break;
      }
      case TensorType::kQ5_1: {
        uint32_t high;
        out.m[b] = half_at(block + 2);
        std::memcpy(&high, block + 4, 4);
        nibbles_16(block + 8, code);
        fifth_bits(high, code);
        block += 24;
        break;
      }
      default:  // Q8_0
        for (int i = 0; i < 32; ++i) code[i] = static_cast<uint8_t>(block[2 + i] ^ 0x80);
        block += 34;
        break;
    }
  }
}

// The twelve bytes of Q4_K and Q5_K that hold eight 6-bit scales and eight 6-bit mins.
void read_k4_scales(const uint8_t* packed, RowSpan& out) {
  for (int j = 0; j < 4; ++j) {
    out.scale[j] = packed[j] & 63;
    out.min[j] = packed[j + 4] & 63;
    out.scale[j + 4] = static_cast<uint8_t>((packed[j + 8] & 15) | (packed[j] >> 6 << 4));
    out.min[j + 4] = static_cast<uint8_t>((packed[j + 8] >> 4) | (packed[j + 4] >> 6 << 4));
  }
}

void read_q4_k(const uint8_t* block, RowSpan& out) {
  out.d[0] = half_at(block);
  out.m[0] = half_at(block + 2);
  read_k4_scales(block + 4, out);
  const uint8_t* low = block + 16;
  for (int pair = 0; pair < 4; ++pair) {
    for (int i = 0; i < 32; ++i) {
      out.code[64 * pair + i] = low[32 * pair + i] & 15;
      out.code[64 * pair + 32 + i] = static_cast<uint8_t>(low[32 * pair + i] >> 4);
    }
  }
}

void read_q5_k(const uint8_t* block, RowSpan& out) {
  out.d[0] = half_at(block);
  out.m[0] = half_at(block + 2);
  read_k4_scales(block + 4, out);
  const uint8_t* high = block + 16;
  const uint8_t* low = block + 48;
  for (int pair = 0; pair < 4; ++pair) {
    for (int i = 0; i < 32; ++i) {
      const uint8_t byte = low[32 * pair + i];
      out.code[64 * pair + i] = static_cast<uint8_t>((byte & 15) | ((high[i] >> (2 * pair) & 1) << 4));
      out.code[64 * pair + 32 + i] = static_cast<uint8_t>((byte >> 4) | ((high[i] >> (2 * pair + 1) & 1) << 4));
    }
  }
}

void read_q6_k(const uint8_t* block, RowSpan& out) {
  const uint8_t* low = block;
  const uint8_t* high = block + 128;
  for (int half = 0; half < 2; ++half) {
    uint8_t* code = out.code + 128 * half;
    for (int i = 0; i < 32; ++i) {
      const uint8_t h = high[32 * half + i];
      const uint8_t a = low[64 * half + i];
      const uint8_t b = low[64 * half + 32 + i];
      code[i] = static_cast<uint8_t>((a & 15) | ((h & 3) << 4));
      code[32 + i] = static_cast<uint8_t>((b & 15) | ((h >> 2 & 3) << 4));
      code[64 + i] = static_cast<uint8_t>((a >> 4) | ((h >> 4 & 3) << 4));
      code[96 + i] = static_cast<uint8_t>((b >> 4) | ((h >> 6) << 4));
    }
  }
  std::memcpy(out.scale, block + 192, 16);
  out.d[0] = half_at(block + 208);
}

void read_q3_k(const uint8_t* block, RowSpan& out) {
  const uint8_t* high = block;         // 32 bytes: bit b of byte i belongs to column 32b + i
  const uint8_t* low = block + 32;     // 64 bytes of 2-bit fields
  const uint8_t* packed = block + 96;  // 16 scales of 6 bits, offset 32
  for (int b = 0; b < 8; ++b) {
    for (int i = 0; i < 32; ++i) {
      const int field = low[32 * (b / 4) + i] >> (2 * (b % 4)) & 3;
      out.code[32 * b + i] = static_cast<uint8_t>(field | ((high[i] >> b & 1) << 2));
    }
  }
  for (int j = 0; j < 16; ++j) {
    const int low4 = j < 8 ? packed[j] & 15 : packed[j - 8] >> 4;
    const int high2 = packed[8 + j % 4] >> (2 * (j / 4)) & 3;
    out.scale[j] = static_cast<uint8_t>((low4 | high2 << 4) - 32);
  }
  out.d[0] = half_at(block + 108);
}

void read_q2_k(const uint8_t* block, RowSpan& out) {
  for (int j = 0; j < 16; ++j) {
    out.scale[j] = block[j] & 15;
    out.min[j] = static_cast<uint8_t>(block[j] >> 4);
  }
  const uint8_t* low = block + 16;
  for (int b = 0; b < 8; ++b) {
    for (int i = 0; i < 32; ++i) {
      out.code[32 * b + i] = low[32 * (b / 4) + i] >> (2 * (b % 4)) & 3;
    }
  }
  out.d[0] = half_at(block + 80);
  out.m[0] = half_at(block + 82);
}

void read_iq4_xs(const uint8_t* block, RowSpan& out) {
  out.d[0] = half_at(block);
  const uint16_t high = half_at(block + 2);
  for (int b = 0; b < 8; ++b) {
    const int low4 = block[4 + b / 2] >> (4 * (b % 2)) & 15;
    out.scale[b] = static_cast<uint8_t>((low4 | (high >> (2 * b) & 3) << 4) - 32);
    nibbles_16(block + 8 + 16 * b, out.code + 32 * b);
  }
}

// Bytes of one row's span in the file.
std::size_t span_bytes(TensorType type, int n_blocks) {
  const TypeInfo& info = *type_info(type);
  return static_cast<std::size_t>(info.block_bytes) * static_cast<std::size_t>(n_blocks * kBlock / info.block_elements);
}

void read_span(TensorType type, const uint8_t* block, int n_blocks, RowSpan& out) {
  switch (type) {
    case TensorType::kQ2_K:
      return read_q2_k(block, out);
    case TensorType::kQ3_K:
      return read_q3_k(block, out);
    case TensorType::kQ4_K:
      return read_q4_k(block, out);
    case TensorType::kQ5_K:
      return read_q5_k(block, out);
    case TensorType::kQ6_K:
      return read_q6_k(block, out);
    case TensorType::kIQ4_XS:
      return read_iq4_xs(block, out);
    default:
      return read_small_blocks(type, block, n_blocks, out);
  }
}

uint32_t dword(const uint8_t* p) {
  uint32_t bits;
  std::memcpy(&bits, p, 4);
  return bits;
}

void put_dword(uint8_t* p, uint32_t bits) { std::memcpy(p, &bits, 4); }

// Writes one row of one block of 32 codes into the planes at `out` (layout in panel.h).
void put_block(const PanelFormat& format, const uint8_t* code, int row, uint8_t* out) {
  const int at = 4 * row;
  if (format.nibble) {
    for (int p = 0; p < 4; ++p) {
      const uint32_t low = dword(code + 4 * p) & 0x0f0f0f0f;
      const uint32_t high = dword(code + 16 + 4 * p) & 0x0f0f0f0f;
      put_dword(out + 64 * p + at, low | high << 4);
    }
    out += 256;
  }
  if (format.pair) {
    const int shift = format.nibble ? 4 : 0;  // bits 4-5 of a 6-bit code, else bits 0-1
    for (int v = 0; v < 2; ++v) {
      uint32_t fields = 0;
      for (int f = 0; f < 4; ++f) fields |= (dword(code + 16 * v + 4 * f) >> shift & 0x03030303) << (2 * f);
      put_dword(out + 64 * v + at, fields);
    }
    out += 128;
  }
  if (format.bit) {
    const int shift = format.nibble ? 4 : 2;  // the fifth or the third bit
    uint32_t bits = 0;
    for (int g = 0; g < 8; ++g) bits |= (dword(code + 4 * g) >> shift & 0x01010101) << g;
    put_dword(out + at, bits);
    out += 64;
  }
  if (format.byte) {
    for (int g = 0; g < 8; ++g) put_dword(out + 64 * g + at, dword(code + 4 * g));
  }
}

void put_half(uint8_t* region, int index, uint16_t bits) { std::memcpy(region + 2 * index, &bits, 2); }

// Writes one row's scales of one span into the scale region.
void put_scales(const PanelFormat& format, const RowSpan& span, int i_span, int n_blocks, int row, uint8_t* region) {
  switch (format.scales) {
    case ScaleLayout::kNone:
      break;
    case ScaleLayout::kHalf:
      for (int b = 0; b < n_blocks; ++b) put_half(region + 32 * (i_span * kSpanBlocks + b), row, span.d[b]);
      break;
    case ScaleLayout::kHalfMin:
      for (int b = 0; b < n_blocks; ++b) {
        put_half(region + 64 * (i_span * kSpanBlocks + b), row, span.d[b]);
        put_half(region + 64 * (i_span * kSpanBlocks + b) + 32, row, span.m[b]);
      }
      break;
    case ScaleLayout::kK4: {
      uint8_t* out = region + 256 * i_span;
      for (int j = 0; j < 8; ++j)
        out[16 * j + row] = static_cast<uint8_t>((span.scale[j] & 15) | (span.min[j] & 15) << 4);
      for (int j = 0; j < 4; ++j) {
        out[128 + 16 * j + row] = static_cast<uint8_t>(span.scale[j] >> 4 | span.min[j] >> 4 << 2 |
                                                       span.scale[j + 4] >> 4 << 4 | span.min[j + 4] >> 4 << 6);
      }
      put_half(out + 192, row, span.d[0]);
      put_half(out + 224, row, span.m[0]);
      break;
    }
    case ScaleLayout::kInt8: {
      uint8_t* out = region + 288 * i_span;
      for (int j = 0; j < 16; ++j) out[16 * j + row] = span.scale[j];
      put_half(out + 256, row, span.d[0]);
      break;
    }
    case ScaleLayout::kInt8x32: {
      uint8_t* out = region + 192 * i_span;
      for (int j = 0; j < 8; ++j) out[16 * j + row] = span.scale[j];
      put_half(out + 128, row, span.d[0]);
      break;
    }
    case ScaleLayout::kNibble: {
      uint8_t* out = region + 320 * i_span;
      for (int j = 0; j < 16; ++j) out[16 * j + row] = static_cast<uint8_t>(span.scale[j] | span.min[j] << 4);
      put_half(out + 256, row, span.d[0]);
      put_half(out + 288, row, span.m[0]);
      break;
    }
  }
}

void pack_float_panel(std::size_t element, std::span<const std::byte* const, kPanelRows> rows, int n_cols,
                      uint8_t* out) {
  const int padded = (n_cols + 3) / 4 * 4;
  std::memset(out, 0, static_cast<std::size_t>(padded) * kPanelRows * element);
  for (int r = 0; r < kPanelRows; ++r) {
    if (rows[static_cast<std::size_t>(r)] == nullptr) continue;
    const auto* in = reinterpret_cast<const uint8_t*>(rows[static_cast<std::size_t>(r)]);
    for (int c = 0; c < n_cols; ++c) {
      std::memcpy(out + static_cast<std::size_t>(c * kPanelRows + r) * element,
                  in + static_cast<std::size_t>(c) * element, element);
    }
  }
}

}  // namespace

void pack_panel(const PanelFormat& format, std::span<const std::byte* const, kPanelRows> rows, int n_cols,
                std::uint8_t* out) {
  if (format.is_float()) {
    return pack_float_panel(format.type == TensorType::kF32 ? 4 : 2, rows, n_cols, out);
  }
  const std::size_t scale_bytes = scale_region_bytes(format, n_cols);
  std::memset(out, 0, scale_bytes);
  const int n_blocks = n_cols / kBlock;
  RowSpan span{};
  const RowSpan padding{};
  for (int b = 0; b < n_blocks; b += kSpanBlocks) {
    const int here = std::min(kSpanBlocks, n_blocks - b);
    uint8_t* codes = out + scale_bytes + static_cast<std::size_t>(b) * format.block_bytes();
    for (int r = 0; r < kPanelRows; ++r) {
      const std::byte* row = rows[static_cast<std::size_t>(r)];
      if (row != nullptr) {
        read_span(format.type, reinterpret_cast<const uint8_t*>(row) + span_bytes(format.type, b), here, span);
      } else {
        span = padding;
      }
      put_scales(format, span, b / kSpanBlocks, here, r, out);
      for (int j = 0; j < here; ++j) {
        put_block(format, span.code + 32 * j, r, codes + static_cast<std::size_t>(j) * format.block_bytes());
      }
    }
  }
}

}  // namespace reckon::kernels
