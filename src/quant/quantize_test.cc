#include "quant/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "quant/dequantize.h"
#include "quant/golden_test_data.h"

namespace reckon::quant {
namespace {

TEST(Quantize, blocks_equal_those_of_gguf_py) {
  std::size_t n_types = 0;
  for (const GoldenEntry& entry : read_golden(1)) {
    std::vector<std::byte> blocks(entry.blocks.size());
    quantize_row(entry.type, entry.numbers.data(), static_cast<std::int64_t>(entry.numbers.size()), blocks.data());
    EXPECT_EQ(blocks, entry.blocks) << type_info(entry.type)->name;
    ++n_types;
  }
  EXPECT_EQ(n_types, 7U);
}

TEST(Quantize, numbers_come_back_within_one_step) {
  std::vector<float> numbers(256);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(i)) * 2;
  for (const TensorType type : all_tensor_types()) {
    if (!can_quantize(type)) continue;
    std::vector<std::byte> blocks(row_bytes(type, 256));
    quantize_row(type, numbers.data(), 256, blocks.data());
    std::vector<float> back(256);
    dequantize_row(type, blocks.data(), 256, back.data());
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], numbers[i], 0.27) << type_info(type)->name;
  }
}

TEST(Quantize, random_blocks_depend_only_on_the_seed) {
  for (const TensorType type : all_tensor_types()) {
    std::vector<std::byte> a(row_bytes(type, 256));
    std::vector<std::byte> b(a.size());
    std::vector<std::byte> c(a.size());
    fill_random_blocks(type, 256, 1, a.data());
    fill_random_blocks(type, 256, 1, b.data());
    fill_random_blocks(type, 256, 2, c.data());
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
  }
}

}  // namespace
}  // namespace reckon::quant
