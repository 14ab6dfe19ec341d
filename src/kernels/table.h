#pragma once
// The kernels of one instruction set: plain function pointers over plain data, chosen once at start (dispatch.h).
//
// Every table computes the same bits: integer sums are exact, and float operations run in one fixed order per
// (row, column), whatever the width of the vectors, the number of columns computed together or the number of threads.
// This header is included by files compiled for one instruction set, so it has no inline functions of its own.

#include <cstddef>
#include <cstdint>

namespace reckon::kernels {

struct MatView;

inline constexpr int kTokenGroup = 8;  // tokens that a panel is used for at a time

// Activations of n tokens, for a matrix with n_cols columns. Quantised per block of 32 to int8 in [-127, 127]:
// x[i] ~ q[i] * scale[i / 32]. Token t starts at q + t * q_stride, scale + t * block_stride and so on. The quantised
// arrays have room for a multiple of kTokenGroup tokens: a matmul may read that many, whatever is in those too many.
struct Activations {
  const std::int8_t* q;
  const float* scale;         // [n_cols / 32] largest magnitude of the block / 127; NaN where x was not finite
  const float* sum;           // [n_cols / 32] scale * sum of q
  const std::int32_t* sum16;  // [n_cols / 16] sum of q over 16
  const float* x;             // the float rows themselves, for float weights; may be null where no matrix needs them
  std::ptrdiff_t q_stride;
  std::ptrdiff_t block_stride;  // of scale and sum; sum16 has twice that
  std::ptrdiff_t x_stride;
};

// One token's activations, to be written.
struct ActivationRow {
  std::int8_t* q;
  float* scale;
  float* sum;
  std::int32_t* sum16;
};

// Row r of token t goes to out[t * stride + r - first_row]. add: += instead of =.
struct MatmulOutput {
  float* out;
  std::ptrdiff_t stride;
  int first_row;
  bool add;
};

// Memory of one thread for matmul, allocated once. Sizes in matmul_scratch_bytes().
struct MatmulScratch {
  std::uint8_t* codes;  // unpacked strip of two panels, kMatmulChunk columns
  float* scales;        // of the strip
  float* mins;          // of the strip, all columns
  float* sums;          // [tokens][32] partial sums
};
inline constexpr int kMatmulChunk = 512;     // columns of a strip that are unpacked at a time
inline constexpr int kMaxDirectTokens = 16;  // up to so many tokens a panel is used straight from its codes

// Keys and values of one layer and kv head, 256 keys of them: pages of 64.
// A key page is [4 blocks][head_size][16 keys], a value page [64 keys][value_stride].
inline constexpr int kChunkKeys = 256;
inline constexpr int kMaxAttentionRows = 6;
struct AttentionChunk {
  const void* key_pages[4];
  const std::uint16_t* value_pages[4];  // f16
  bool key_is_f32;                      // else f16
  int head_size;
  int value_stride;                       // head_size rounded up to 16
  int n_rows;                             // queries that share these keys, 1..kMaxAttentionRows
  const float* query[kMaxAttentionRows];  // [head_size], scaled by log2(e) / sqrt(head_size)
  int n_keys[kMaxAttentionRows];          // valid keys for each row, 1..256
  float* scores;                          // scratch [kMaxAttentionRows][256]
};
// The softmax of one chunk, not yet normalised: weights are 2^(score - max).
struct AttentionPartial {
  float* max;     // [n_rows]
  float* weight;  // [n_rows] sum of weights
  float* out;     // [n_rows][value_stride] sum of weight * value
};

struct Table {
  const char* name;  // scalar, avx2, avxvnni, avx512

  // Rows [16 * begin, 16 * end) of the matrix times n tokens. Up to kMaxDirectTokens tokens it needs no scratch.
  void (*matmul)(const MatView& matrix, int begin_panel, int end_panel, const Activations& in, int n_tokens,
                 const MatmulOutput& out, const MatmulScratch& scratch);

  void (*quantize_row)(const float* x, int n, const ActivationRow& out);  // n: multiple of 32
  // out = x / sqrt(mean(x^2) + epsilon) * weight; out may be x
  void (*rms_norm)(const float* x, const float* weight, int n, float epsilon, float* out);
  void (*swiglu)(const float* gate, const float* up, int n, float* out);  // silu(gate) * up; n: multiple of 16
  // Rotates pairs (i, i + n_dims / 2) of a head by the angles of one position: cos/sin [n_dims / 2].
  void (*rope)(float* head, const float* cosine, const float* sine, int n_dims);
  void (*scale_row)(float* x, int n, float factor);
  void (*add_row)(float* x, const float* y, int n);

  // Writes key (or value) of one token into its page, slot 0..63.
  void (*store_key)(const float* key, int head_size, bool as_f32, int slot, void* page);
  void (*store_value)(const float* value, int head_size, int value_stride, int slot, std::uint16_t* page);
  void (*attend)(const AttentionChunk& chunk, const AttentionPartial& out);
  // Merges a later partial of one row into the running one (max, weight, out) in place.
  void (*merge)(float* max, float* weight, float* out, float next_max, float next_weight, const float* next_out,
                int value_stride);

  bool (*all_finite)(const float* x, std::ptrdiff_t n);
  // Runs about `n` blocks of independent int8 dot products; returns multiply-accumulates done. For the machine's peak.
  double (*int8_peak_loop)(long n);
};

}  // namespace reckon::kernels
