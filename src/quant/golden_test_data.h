#pragma once
// Reads tests/data/quant_golden.bin, made by tools/golden/make_quant_golden.py.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/tensor_type.h"

namespace reckon::quant {

struct GoldenEntry {
  TensorType type = TensorType::kF32;
  std::vector<float> numbers;
  std::vector<std::byte> blocks;
};

// direction 0: blocks to numbers; 1: numbers to blocks.
inline std::vector<GoldenEntry> read_golden(std::uint32_t direction) {
  std::ifstream file(std::string(RECKON_SOURCE_DIR) + "/tests/data/quant_golden.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes.substr(0, 4), "RKQG");
  std::vector<GoldenEntry> entries;
  for (std::size_t position = 4; position + 16 <= bytes.size();) {
    std::uint32_t header[4];
    std::memcpy(header, bytes.data() + position, sizeof(header));
    GoldenEntry entry;
    entry.type = static_cast<TensorType>(header[1]);
    entry.numbers.resize(header[2]);
    entry.blocks.resize(header[3]);
    position += sizeof(header);
    std::memcpy(entry.numbers.data(), bytes.data() + position, 4 * entry.numbers.size());
    position += 4 * entry.numbers.size();
    std::memcpy(entry.blocks.data(), bytes.data() + position, entry.blocks.size());
    position += entry.blocks.size();
    if (header[0] == direction) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace reckon::quant
