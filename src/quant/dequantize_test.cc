#include "quant/dequantize.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "quant/blocks.h"
#include "quant/golden_test_data.h"
#include "quant/quantize.h"

namespace reckon::quant {
namespace {

TEST(Dequantize, every_type_equals_gguf_py_bit_for_bit) {
  std::set<TensorType> seen;
  for (const GoldenEntry& entry : read_golden(0)) {
    const std::string name = type_info(entry.type)->name;
    const auto n = static_cast<std::int64_t>(entry.numbers.size());
    ASSERT_EQ(row_bytes(entry.type, n), entry.blocks.size()) << name;
    std::vector<float> out(entry.numbers.size());
    dequantize_row(entry.type, entry.blocks.data(), n, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(entry.numbers[i]))
          << name << " element " << i << ": " << out[i] << " instead of " << entry.numbers[i];
    }
    seen.insert(entry.type);
  }
  EXPECT_EQ(seen.size(), all_tensor_types().size());
}

TEST(Dequantize, blocks_need_no_alignment) {
  for (const TensorType type : all_tensor_types()) {
    std::vector<std::byte> aligned(row_bytes(type, 512));
    fill_random_blocks(type, 512, 7, aligned.data());
    std::vector<std::byte> shifted(aligned.size() + 1);
    std::memcpy(shifted.data() + 1, aligned.data(), aligned.size());
    std::vector<float> want(512);
    std::vector<float> got(512);
    dequantize_row(type, aligned.data(), 512, want.data());
    dequantize_row(type, shifted.data() + 1, 512, got.data());
    EXPECT_EQ(want, got) << type_info(type)->name;
  }
}

TEST(Dequantize, random_blocks_stay_around_one) {
  for (const TensorType type : all_tensor_types()) {
    std::vector<std::byte> blocks(row_bytes(type, 4096));
    fill_random_blocks(type, 4096, 11, blocks.data());
    std::vector<float> numbers(4096);
    dequantize_row(type, blocks.data(), 4096, numbers.data());
    double sum = 0;
    for (const float number : numbers) sum += static_cast<double>(number) * number;
    EXPECT_GT(sum / 4096, 1e-3) << type_info(type)->name;
    EXPECT_LT(sum / 4096, 10) << type_info(type)->name;
  }
}

TEST(Blocks, six_bit_scales_unpack_to_every_bit_of_the_twelve_bytes) {
  // One bit at a time: each of the 96 bits lands in exactly one scale or minimum.
  std::set<std::pair<int, int>> targets;
  for (int bit = 0; bit < 96; ++bit) {
    std::uint8_t packed[12] = {};
    packed[bit / 8] = static_cast<std::uint8_t>(1U << (bit % 8));
    std::uint8_t scales[8];
    std::uint8_t minima[8];
    unpack_k_scales(packed, scales, minima);
    for (int g = 0; g < 8; ++g) {
      if (scales[g] != 0) targets.emplace(g, scales[g]);
      if (minima[g] != 0) targets.emplace(8 + g, minima[g]);
    }
  }
  EXPECT_EQ(targets.size(), 96U);
}

}  // namespace
}  // namespace reckon::quant
