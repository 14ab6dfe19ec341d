#pragma once
// The one weight layout of all instruction sets: panels of 16 rows.
//
// A panel holds 16 consecutive rows of a matrix, all columns, in two regions, both 64-byte aligned:
//   [scales]  block scales of the whole panel, so that the codes behind them are one pure stream
//   [codes]   for each block of 32 columns the planes that its type has, in this order:
//             nibble  4 x 64 bytes: byte (row*4 + i) of vector p holds the codes of columns 4p + i (low half) and 16 +
//             4p + i pair    2 x 64 bytes: vector v holds 2-bit fields f = 0..3 of columns 16v + 4f + i bit     1 x 64
//             bytes: bit g is one bit of column 4g + i byte    8 x 64 bytes: vector g holds the codes of columns 4g + i
// One 64-byte vector is thus 16 rows x 4 columns: the operand of VPDPBUSD, with 4 activation bytes broadcast against
// it. Codes are stored unsigned; `bias` is what to subtract. Float types keep [column][16 rows] instead, columns padded
// to 4.

#include <cstddef>
#include <cstdint>

#include "base/tensor_type.h"

// Files of one instruction set include this header: its members are always inlined, so that no copy of them, compiled
// with instructions that this CPU may lack, can be the one that the linker keeps.
namespace reckon::kernels {

inline constexpr int kPanelRows = 16;
inline constexpr int kBlock = 32;      // columns of one activation scale
inline constexpr int kSpanBlocks = 8;  // blocks whose scales are decoded together: one superblock of 256 columns

// How scales lie in the scale region.
enum class ScaleLayout : std::uint8_t {
  kNone,     // float types
  kHalf,     // per block: f16 d[16]
  kHalfMin,  // per block: f16 d[16], f16 m[16]
  kK4,       // per 256: u8 low[8][16] (scale & 15 | min << 4), u8 high[4][16] (2-bit fields), f16 d[16], f16 dmin[16]
  kInt8,     // per 256: i8 scale[16][16] of 16 columns each, f16 d[16]
  kInt8x32,  // per 256: i8 scale[8][16] of 32 columns each, f16 d[16], 32 bytes unused
  kNibble,   // per 256: u8 [16][16] (scale | min << 4) of 16 columns each, f16 d[16], f16 dmin[16]
};

struct PanelFormat {
  TensorType type;
  bool nibble, pair, bit, byte;  // planes
  bool lut;                      // nibbles index the IQ4 code book
  ScaleLayout scales;
  int bias;  // subtracted from every unsigned code
  bool has_min;

  [[nodiscard, gnu::always_inline]] constexpr bool is_float() const { return scales == ScaleLayout::kNone; }
  [[nodiscard, gnu::always_inline]] constexpr bool scale_per_16() const {
    return scales == ScaleLayout::kInt8 || scales == ScaleLayout::kNibble;
  }
  [[nodiscard, gnu::always_inline]] constexpr std::size_t block_bytes() const {  // of codes, 16 rows x 32 columns
    return (nibble ? 256u : 0u) + (pair ? 128u : 0u) + (bit ? 64u : 0u) + (byte ? 512u : 0u);
  }
};

// The format of every supported type.
constexpr PanelFormat kPanelFormats[] = {
    // type                    nibble pair   bit    byte   lut    scales    bias  has_min
    {TensorType::kF32, false, false, false, false, false, ScaleLayout::kNone, 0, false},
    {TensorType::kF16, false, false, false, false, false, ScaleLayout::kNone, 0, false},
    {TensorType::kBF16, false, false, false, false, false, ScaleLayout::kNone, 0, false},
    {TensorType::kQ4_0, true, false, false, false, false, ScaleLayout::kHalf, 8, false},
    {TensorType::kQ4_1, true, false, false, false, false, ScaleLayout::kHalfMin, 0, true},
    {TensorType::kQ5_0, true, false, true, false, false, ScaleLayout::kHalf, 16, false},
    {TensorType::kQ5_1, true, false, true, false, false, ScaleLayout::kHalfMin, 0, true},
    {TensorType::kQ8_0, false, false, false, true, false, ScaleLayout::kHalf, 128, false},
    {TensorType::kQ2_K, false, true, false, false, false, ScaleLayout::kNibble, 0, true},
    {TensorType::kQ3_K, false, true, true, false, false, ScaleLayout::kInt8, 4, false},
    {TensorType::kQ4_K, true, false, false, false, false, ScaleLayout::kK4, 0, true},
    {TensorType::kQ5_K, true, false, true, false, false, ScaleLayout::kK4, 0, true},
    {TensorType::kQ6_K, true, true, false, false, false, ScaleLayout::kInt8, 32, false},
    {TensorType::kIQ4_NL, true, false, false, false, true, ScaleLayout::kHalf, 128, false},
    {TensorType::kIQ4_XS, true, false, false, false, true, ScaleLayout::kInt8x32, 128, false},
};

// The code book of IQ4_NL and IQ4_XS (ggml's kvalues_iq4nl), plus 128.
constexpr std::uint8_t kIq4Codes[16] = {1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241};

// The format of a tensor type; every supported type has one.
const PanelFormat& panel_format(TensorType type);

[[nodiscard]] std::size_t scale_region_bytes(const PanelFormat& format, int n_cols);
[[nodiscard]] std::size_t panel_bytes(const PanelFormat& format, int n_cols);

// A packed matrix. Borrows its memory from the weight arena.
struct MatView {
  const PanelFormat* format = nullptr;
  int n_rows = 0;
  int n_cols = 0;
  const std::uint8_t* data = nullptr;
  std::size_t scale_bytes = 0;  // size of a panel's scale region
  // Panel p starts at data + p / group * group_stride + p % group * panel_stride: gate and up lie in turns of two
  // panels.
  int group = 1;
  std::size_t panel_stride = 0;
  std::size_t group_stride = 0;

  [[nodiscard, gnu::always_inline]] int n_panels() const { return (n_rows + kPanelRows - 1) / kPanelRows; }
  [[nodiscard, gnu::always_inline]] const std::uint8_t* panel(int i_panel) const {
    return data + static_cast<std::size_t>(i_panel / group) * group_stride +
           static_cast<std::size_t>(i_panel % group) * panel_stride;
  }
};

}  // namespace reckon::kernels
