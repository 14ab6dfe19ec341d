#include "quant/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace reckon::quant {
namespace {

// The definition, in numbers instead of bits.
float by_definition(std::uint32_t half) {
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  const int exponent = static_cast<int>(half >> 10 & 0x1f);
  const auto fraction = static_cast<float>(half & 0x3ff);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024.0F + fraction, exponent - 25);
}

static_assert(f16_to_f32(0x3c00) == 1.0F && f32_to_f16(1.0F) == 0x3c00 && f32_to_bf16(-2.0F) == 0xc000);

TEST(Half, every_f16_value_is_what_its_bits_mean) {
  for (std::uint32_t half = 0; half <= 0xffff; ++half) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(half));
    if ((half & 0x7c00) != 0x7c00) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(by_definition(half))) << half;
    } else if ((half & 0x3ff) == 0) {
      ASSERT_TRUE(std::isinf(value));
      ASSERT_EQ(std::signbit(value), (half & 0x8000) != 0);
    } else {
      ASSERT_TRUE(std::isnan(value));
    }
    ASSERT_EQ(f32_to_f16(value), half);  // and back, NaN payloads too
  }
}

TEST(Half, f16_rounds_to_the_nearest_and_ties_to_even) {
  for (std::uint32_t half = 0; half < 0x7bff; ++half) {
    const float low = f16_to_f32(static_cast<std::uint16_t>(half));
    const float high = f16_to_f32(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;  // exact
    ASSERT_EQ(f32_to_f16(middle), half + (half & 1)) << half;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0F)), half);
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 1e9F)), half + 1);
    ASSERT_EQ(f32_to_f16(-middle), (half + (half & 1)) | 0x8000);
  }
}

TEST(Half, f16_overflows_to_infinity_and_underflows_to_zero) {
  EXPECT_EQ(f32_to_f16(65504.0F), 0x7bff);
  EXPECT_EQ(f32_to_f16(65519.99F), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(f32_to_f16(-3e38F), 0xfc00);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(f32_to_f16(0x1p-25F), 0);
  EXPECT_EQ(f32_to_f16(std::nextafter(0x1p-25F, 1.0F)), 1);
  EXPECT_EQ(f32_to_f16(-1e-40F), 0x8000);
}

TEST(Half, every_bf16_value_survives_the_way_to_f32_and_back) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(bits));
    const std::uint32_t back = f32_to_bf16(value);
    ASSERT_EQ(back, std::isnan(value) ? bits | 0x40 : bits);
  }
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f80'8000U)), 0x3f80);  // tie, even stays
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f81'8000U)), 0x3f82);  // tie, odd goes up
  EXPECT_EQ(f32_to_bf16(3.4e38F), 0x7f80);
}

}  // namespace
}  // namespace reckon::quant
