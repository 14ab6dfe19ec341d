#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "quant/blocks.h"
#include "quant/dequantize.h"
#include "quant/half.h"
#include "quant/quantize.h"

namespace reckon::quant {
namespace {

TEST(CheckFinite, sound_blocks_of_every_type_pass) {
  for (const TensorType type : all_tensor_types()) {
    std::vector<std::byte> blocks(row_bytes(type, 1024));
    fill_random_blocks(type, 1024, 3, blocks.data());
    EXPECT_TRUE(check_finite(type, blocks, "w")) << type_info(type)->name;
  }
}

// What dequantisation gives is the judge: a half of bad bits anywhere that leads to NaN or infinity must be found.
TEST(CheckFinite, finds_whatever_dequantises_to_nan_or_infinity) {
  for (const TensorType type : all_tensor_types()) {
    const auto n_bytes = static_cast<std::size_t>(type_info(type)->block_bytes);
    const int n = type_info(type)->block_elements;
    std::vector<std::byte> blocks(2 * n_bytes);
    fill_random_blocks(type, 2 * n, 5, blocks.data());
    for (std::size_t offset = 0; offset + 2 <= n_bytes; ++offset) {
      for (const std::uint16_t bits : std::initializer_list<std::uint16_t>{0x7c00, 0xfc00, 0x7e01, 0x7f80, 0xffff}) {
        auto damaged = blocks;
        std::memcpy(damaged.data() + n_bytes + offset, &bits, 2);
        std::vector<float> numbers(static_cast<std::size_t>(2 * n));
        dequantize_row(type, damaged.data(), 2 * n, numbers.data());
        bool finite = true;
        for (const float number : numbers) finite = finite && std::isfinite(number);
        const auto result = check_finite(type, damaged, "blk.0.x");
        if (!finite) {
          ASSERT_FALSE(result) << type_info(type)->name << " offset " << offset << " bits " << bits;
          EXPECT_NE(result.error().message.find("'blk.0.x'"), std::string::npos);
          EXPECT_NE(result.error().message.find(" 1 is not a finite"), std::string::npos) << result.error().message;
        }
      }
    }
  }
}

TEST(CheckFinite, numbers_as_large_as_they_get_still_pass) {
  const float largest[2] = {3.4e38F, -3.4e38F};
  EXPECT_TRUE(check_finite(TensorType::kF32, std::as_bytes(std::span(largest)), "w"));
  const std::uint16_t halves[2] = {0x7bff, 0xfbff};
  EXPECT_TRUE(check_finite(TensorType::kF16, std::as_bytes(std::span(halves)), "w"));
}

}  // namespace
}  // namespace reckon::quant
