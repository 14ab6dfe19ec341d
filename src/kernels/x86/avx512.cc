// AVX-512 with VNNI: Ice Lake, Zen 4 and later.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/panel.h"
#include "kernels/table.h"

namespace reckon::kernels {
namespace {

struct Isa {
  static constexpr const char* kName = "avx512";
  static constexpr int kLanes = 16;
  static constexpr int kTileVecs = 2;  // 32 rows x 6 tokens: 12 integer and 12 float accumulators of 32 registers
  static constexpr int kTileTokens = 6;
  static constexpr bool kWideIsSigned = false;
  using Vf = __m512;
  using Vi = __m512i;
  using Vb = __m512i;

  static Vf zero_f() { return _mm512_setzero_ps(); }
  static Vf set_f(float x) { return _mm512_set1_ps(x); }
  static Vf load_f(const float* p) { return _mm512_loadu_ps(p); }
  static void store_f(float* p, Vf v) { _mm512_storeu_ps(p, v); }
  static Vf add(Vf a, Vf b) { return _mm512_add_ps(a, b); }
  static Vf sub(Vf a, Vf b) { return _mm512_sub_ps(a, b); }
  static Vf mul(Vf a, Vf b) { return _mm512_mul_ps(a, b); }
  static Vf div(Vf a, Vf b) { return _mm512_div_ps(a, b); }
  static Vf fma(Vf a, Vf b, Vf c) { return _mm512_fmadd_ps(a, b, c); }
  static Vf max_f(Vf a, Vf b) { return _mm512_max_ps(a, b); }
  static Vf abs(Vf a) { return _mm512_abs_ps(a); }
  static Vf neg_abs(Vf a) { return _mm512_or_ps(a, _mm512_set1_ps(-0.0F)); }
  static Vf round(Vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Vf scale_exponent(Vf p, Vf whole) {
    return _mm512_castsi512_ps(
        _mm512_add_epi32(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_cvtps_epi32(whole), 23)));
  }
  static Vf zero_where_less(Vf v, Vf x, Vf bound) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, bound, _CMP_NLT_UQ), v);
  }
  static Vf select_negative(Vf x, Vf if_negative, Vf otherwise) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(x)), otherwise, if_negative);
  }
  static Vf load_f16(const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Vf load_bf16(const std::uint16_t* p) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16));
  }
  static Vf from_u8(const std::uint8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Vf from_i8(const std::int8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static std::uint16_t to_half(float x) {
    return static_cast<std::uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), 0), 0));
  }
  static float sqrt_scalar(float x) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }

  static Vi zero_i() { return _mm512_setzero_si512(); }
  static Vi set_i(std::int32_t x) { return _mm512_set1_epi32(x); }
  static Vi add_i(Vi a, Vi b) { return _mm512_add_epi32(a, b); }
  static Vf to_f(Vi a) { return _mm512_cvtepi32_ps(a); }

  static Vb load_b(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  static void store_b(std::uint8_t* p, Vb v) { _mm512_storeu_si512(p, v); }
  static Vb set_b(int x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static Vb and_b(Vb a, Vb b) { return _mm512_and_si512(a, b); }
  static Vb or_b(Vb a, Vb b) { return _mm512_or_si512(a, b); }
  // Within 16 bits: callers mask what crosses a byte.
  template <int N>
  static Vb shift_right(Vb a) {
    return _mm512_srli_epi16(a, N);
  }
  template <int N>
  static Vb shift_left(Vb a) {
    return _mm512_slli_epi16(a, N);
  }
  static Vb load_table16(const std::uint8_t* p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Vb look_up16(Vb table, Vb index) { return _mm512_shuffle_epi8(table, index); }
  static Vi dot4(Vi sum, Vb code, std::int32_t q) { return _mm512_dpbusd_epi32(sum, code, _mm512_set1_epi32(q)); }
  static Vi dot4_wide(Vi sum, Vb code, std::int32_t q) { return dot4(sum, code, q); }

  // q = round to nearest even of x * inverse, 16 of them.
  static void quantize16(const float* x, float inverse, std::int8_t* q) {
    const __m512i v = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(inverse)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q), _mm512_cvtsepi32_epi8(v));
  }
  static void prefetch(const std::uint8_t* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
  static void keep(Vi v) { asm volatile("" ::"v"(v)); }
};

// Each stands on those before it.
// clang-format off
#include "kernels/impl/common.inl.h"
#include "kernels/impl/elementwise.inl.h"
#include "kernels/impl/attention.inl.h"
#include "kernels/impl/unpack.inl.h"
#include "kernels/impl/direct.inl.h"
#include "kernels/impl/tiled.inl.h"
#include "kernels/impl/float.inl.h"
#include "kernels/impl/matmul.inl.h"
#include "kernels/impl/table.inl.h"
// clang-format on

}  // namespace

extern const Table kAvx512Table;
constexpr Table kAvx512Table = kThisTable;

}  // namespace reckon::kernels
