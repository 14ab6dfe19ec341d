#pragma once
// 16-bit floating point to 32-bit and back, exact, rounding to nearest even, without help from the CPU.
// Source of the layouts: IEEE 754 binary16 (1 sign, 5 exponent, 10 fraction bits); bfloat16 is the upper half of
// binary32.

#include <bit>
#include <cstdint>

namespace reckon::quant {

// Subnormals, infinities and NaN (with its payload) come out exactly.
[[nodiscard]] constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fU;
  std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f80'0000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  if (fraction == 0) return std::bit_cast<float>(sign);
  // Subnormal: shift the leading one into place; each step halves the exponent's value.
  const int shift = std::countl_zero(fraction) - 21;  // 1..10
  fraction = fraction << shift & 0x3ffU;
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(113 - shift) << 23 | fraction << 13);
}

// Too large becomes infinity. NaN stays NaN.
[[nodiscard]] constexpr std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  if (magnitude > 0x7f80'0000U) {
    const auto payload = static_cast<std::uint16_t>(magnitude >> 13 & 0x3ffU);
    return static_cast<std::uint16_t>(sign | 0x7c00U | (payload == 0 ? 1U : payload));
  }
  if (magnitude >= 0x477f'f000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // 65520 and above
  if (magnitude < 0x3300'0000U) return sign;                                         // below 2^-25
  const std::uint32_t exponent = magnitude >> 23;
  // 24 bits with the leading one; a half keeps 11 of them, fewer below its smallest normal number 2^-14.
  const std::uint32_t significand = (magnitude & 0x7f'ffffU) | 0x80'0000U;
  const std::uint32_t n_dropped = exponent >= 113 ? 13 : 126 - exponent;
  const std::uint32_t kept = significand >> n_dropped;
  const std::uint32_t rest = significand & ((1U << n_dropped) - 1);
  const std::uint32_t tie = 1U << (n_dropped - 1);
  const std::uint32_t rounded = kept + (rest > tie || (rest == tie && (kept & 1U) != 0) ? 1U : 0U);
  // The leading one, and a carry out of the fraction, add to the exponent field.
  const std::uint32_t base = exponent >= 113 ? (exponent - 113) << 10 : 0;
  return static_cast<std::uint16_t>(sign | (base + rounded));
}

[[nodiscard]] constexpr float bf16_to_f32(std::uint16_t brain) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

[[nodiscard]] constexpr std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fff'ffffU) > 0x7f80'0000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);  // a quiet NaN
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace reckon::quant
