// Included by one file per instruction set, inside an anonymous namespace, after its Isa struct. No include guards by
// design, no std:: calls: an inline function of the library must not be compiled with instructions that others lack.
//
// Isa gives: kLanes (8 or 16 rows a vector), Vf (floats), Vi (int32), Vb (4 * kLanes bytes), and the operations used
// below.

constexpr int kHalves = kPanelRows / Isa::kLanes;  // vectors that hold 16 lanes
using Vf = Isa::Vf;
using Vi = Isa::Vi;
using Vb = Isa::Vb;

// Sixteen lanes as kHalves vectors; lane l is element l % kLanes of vector l / kLanes.
struct Vf16 {
  Vf half[kHalves];
};

inline Vf16 zero16() {
  Vf16 v;
  for (int h = 0; h < kHalves; ++h) v.half[h] = Isa::zero_f();
  return v;
}

// 2^x for x <= 0; 0 below -125. Nearest integer, Taylor series of 2^r on [-0.5, 0.5] to r^7 (remainder < 6e-9),
// exponent by integer addition. NaN stays NaN.
inline Vf exp2_negative(Vf x) {
  const Vf floor_x = Isa::set_f(-125.0F);
  const Vf clamped = Isa::max_f(floor_x, x);  // operand order: a NaN x is returned
  const Vf whole = Isa::round(clamped);
  const Vf r = Isa::sub(clamped, whole);
  Vf p = Isa::set_f(1.5252733804059840e-5F);
  p = Isa::fma(p, r, Isa::set_f(1.5403530393381610e-4F));
  p = Isa::fma(p, r, Isa::set_f(1.3333558146428443e-3F));
  p = Isa::fma(p, r, Isa::set_f(9.6181291076284772e-3F));
  p = Isa::fma(p, r, Isa::set_f(5.5504108664821580e-2F));
  p = Isa::fma(p, r, Isa::set_f(2.4022650695910071e-1F));
  p = Isa::fma(p, r, Isa::set_f(6.9314718055994531e-1F));
  p = Isa::fma(p, r, Isa::set_f(1.0F));
  return Isa::zero_where_less(Isa::scale_exponent(p, whole), x, floor_x);
}

// Sum of sixteen lanes by a fixed tree: 16 -> 8 -> 4 -> 2 -> 1, lane l with lane l + half.
inline float sum16(const Vf16& v) {
  alignas(64) float lane[16];
  for (int h = 0; h < kHalves; ++h) Isa::store_f(lane + h * Isa::kLanes, v.half[h]);
  for (int width = 8; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

inline float max16(const Vf16& v) {
  alignas(64) float lane[16];
  for (int h = 0; h < kHalves; ++h) Isa::store_f(lane + h * Isa::kLanes, v.half[h]);
  float best = lane[0];
  for (int l = 1; l < 16; ++l) best = lane[l] > best ? lane[l] : best;
  return best;
}
