// The portable table: sixteen lanes as plain loops. Slow, and bit for bit what the others compute.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/panel.h"
#include "kernels/table.h"
#include "quant/half.h"

namespace reckon::kernels {
namespace {

struct Isa {
  static constexpr const char* kName = "scalar";
  static constexpr int kLanes = 16;
  static constexpr int kTileVecs = 1;
  static constexpr int kTileTokens = 2;
  static constexpr bool kWideIsSigned = false;
  struct Vf {
    float lane[16];
  };
  struct Vi {
    std::int32_t lane[16];
  };
  struct Vb {
    std::uint8_t byte[64];
  };

  template <class Op>
  static Vf map(Op op) {
    Vf out;
    for (int l = 0; l < 16; ++l) out.lane[l] = op(l);
    return out;
  }
  static std::int32_t bits(float x) {
    std::int32_t b;
    std::memcpy(&b, &x, 4);
    return b;
  }
  static float from_bits(std::int32_t b) {
    float x;
    std::memcpy(&x, &b, 4);
    return x;
  }

  static Vf zero_f() { return set_f(0.0F); }
  static Vf set_f(float x) {
    return map([&](int) { return x; });
  }
  static Vf load_f(const float* p) {
    return map([&](int l) { return p[l]; });
  }
  static void store_f(float* p, const Vf& v) { std::memcpy(p, v.lane, sizeof v.lane); }
  static Vf add(const Vf& a, const Vf& b) {
    return map([&](int l) { return a.lane[l] + b.lane[l]; });
  }
  static Vf sub(const Vf& a, const Vf& b) {
    return map([&](int l) { return a.lane[l] - b.lane[l]; });
  }
  static Vf mul(const Vf& a, const Vf& b) {
    return map([&](int l) { return a.lane[l] * b.lane[l]; });
  }
  static Vf div(const Vf& a, const Vf& b) {
    return map([&](int l) { return a.lane[l] / b.lane[l]; });
  }
  static Vf fma(const Vf& a, const Vf& b, const Vf& c) {
    return map([&](int l) { return std::fma(a.lane[l], b.lane[l], c.lane[l]); });
  }
  static Vf max_f(const Vf& a, const Vf& b) {  // b where one is NaN, as MAXPS
    return map([&](int l) { return a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l]; });
  }
  static Vf abs(const Vf& a) {
    return map([&](int l) { return from_bits(bits(a.lane[l]) & 0x7fffffff); });
  }
  static Vf neg_abs(const Vf& a) {
    return map([&](int l) { return from_bits(bits(a.lane[l]) | static_cast<std::int32_t>(0x80000000)); });
  }
  static Vf round(const Vf& a) {
    return map([&](int l) { return std::nearbyint(a.lane[l]); });
  }
  static Vf scale_exponent(const Vf& p, const Vf& whole) {
    return map([&](int l) {
      const float w = whole.lane[l];
      const std::uint32_t shift = w == w ? static_cast<std::uint32_t>(static_cast<std::int32_t>(w)) << 23 : 0;
      return from_bits(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits(p.lane[l])) + shift));
    });
  }
  static Vf zero_where_less(const Vf& v, const Vf& x, const Vf& bound) {
    return map([&](int l) { return x.lane[l] < bound.lane[l] ? 0.0F : v.lane[l]; });
  }
  static Vf select_negative(const Vf& x, const Vf& if_negative, const Vf& otherwise) {
    return map([&](int l) { return bits(x.lane[l]) < 0 ? if_negative.lane[l] : otherwise.lane[l]; });
  }
  static Vf load_f16(const std::uint16_t* p) {
    return map([&](int l) { return quant::f16_to_f32(p[l]); });
  }
  static Vf load_bf16(const std::uint16_t* p) {
    return map([&](int l) { return from_bits(static_cast<std::int32_t>(static_cast<std::uint32_t>(p[l]) << 16)); });
  }
  static Vf from_u8(const std::uint8_t* p) {
    return map([&](int l) { return static_cast<float>(p[l]); });
  }
  static Vf from_i8(const std::int8_t* p) {
    return map([&](int l) { return static_cast<float>(p[l]); });
  }
  static std::uint16_t to_half(float x) { return quant::f32_to_f16(x); }
  static float sqrt_scalar(float x) { return std::sqrt(x); }

  static Vi zero_i() { return Vi{}; }
  static Vi set_i(std::int32_t x) {
    Vi v;
    for (std::int32_t& lane : v.lane) lane = x;
    return v;
  }
  static Vi add_i(const Vi& a, const Vi& b) {
    Vi v;
    for (int l = 0; l < 16; ++l) v.lane[l] = a.lane[l] + b.lane[l];
    return v;
  }
  static Vf to_f(const Vi& a) {
    return map([&](int l) { return static_cast<float>(a.lane[l]); });
  }

  template <class Op>
  static Vb map_bytes(Op op) {
    Vb out;
    for (int i = 0; i < 64; ++i) out.byte[i] = static_cast<std::uint8_t>(op(i));
    return out;
  }
  static Vb load_b(const std::uint8_t* p) {
    Vb v;
    std::memcpy(v.byte, p, 64);
    return v;
  }
  static void store_b(std::uint8_t* p, const Vb& v) { std::memcpy(p, v.byte, 64); }
  static Vb set_b(int x) {
    return map_bytes([&](int) { return x; });
  }
  static Vb and_b(const Vb& a, const Vb& b) {
    return map_bytes([&](int i) { return a.byte[i] & b.byte[i]; });
  }
  static Vb or_b(const Vb& a, const Vb& b) {
    return map_bytes([&](int i) { return a.byte[i] | b.byte[i]; });
  }
  template <int N>
  static Vb shift_right(const Vb& a) {
    return map_bytes([&](int i) { return a.byte[i] >> N; });
  }
  template <int N>
  static Vb shift_left(const Vb& a) {
    return map_bytes([&](int i) { return a.byte[i] << N; });
  }
  static Vb load_table16(const std::uint8_t* p) {
    return map_bytes([&](int i) { return p[i % 16]; });
  }
  static Vb look_up16(const Vb& table, const Vb& index) {
    return map_bytes([&](int i) { return table.byte[index.byte[i]]; });
  }
  static Vi dot4(const Vi& sum, const Vb& code, std::int32_t q) {
    std::int8_t x[4];
    std::memcpy(x, &q, 4);
    Vi out;
    for (int l = 0; l < 16; ++l) {
      const std::uint8_t* w = code.byte + 4 * l;
      out.lane[l] = sum.lane[l] + w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3] * x[3];
    }
    return out;
  }
  static Vi dot4_wide(const Vi& sum, const Vb& code, std::int32_t q) { return dot4(sum, code, q); }

  static void quantize16(const float* x, float inverse, std::int8_t* q) {
    for (int i = 0; i < 16; ++i) {
      const float scaled = x[i] * inverse;
      q[i] = scaled == scaled ? static_cast<std::int8_t>(std::nearbyint(scaled)) : std::int8_t{0};
    }
  }
  static void prefetch(const std::uint8_t*) {}
  static void keep(const Vi& v) { asm volatile("" ::"m"(v)); }
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

extern const Table kScalarTable;
constexpr Table kScalarTable = kThisTable;

}  // namespace reckon::kernels
