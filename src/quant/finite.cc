#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/check.h"
#include "quant/blocks.h"
#include "quant/dequantize.h"

namespace reckon::quant {
namespace {

// Where the f16 numbers of a block lie.
struct ScaleOffsets {
  std::size_t n = 0;
  std::array<std::size_t, 2> offsets{};
};

template <class Block>
constexpr ScaleOffsets only_d() {
  return {1, {offsetof(Block, d), 0}};
}

ScaleOffsets scale_offsets(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0:
      return only_d<BlockQ4_0>();
    case TensorType::kQ5_0:
      return only_d<BlockQ5_0>();
    case TensorType::kQ8_0:
      return only_d<BlockQ8_0>();
    case TensorType::kQ3_K:
      return only_d<BlockQ3_K>();
    case TensorType::kQ6_K:
      return only_d<BlockQ6_K>();
    case TensorType::kIQ4_NL:
      return only_d<BlockIQ4_NL>();
    case TensorType::kIQ4_XS:
      return only_d<BlockIQ4_XS>();
    case TensorType::kQ4_1:
      return {2, {offsetof(BlockQ4_1, d), offsetof(BlockQ4_1, m)}};
    case TensorType::kQ5_1:
      return {2, {offsetof(BlockQ5_1, d), offsetof(BlockQ5_1, m)}};
    case TensorType::kQ2_K:
      return {2, {offsetof(BlockQ2_K, d), offsetof(BlockQ2_K, dmin)}};
    case TensorType::kQ4_K:
      return {2, {offsetof(BlockQ4_K, d), offsetof(BlockQ4_K, dmin)}};
    case TensorType::kQ5_K:
      return {2, {offsetof(BlockQ5_K, d), offsetof(BlockQ5_K, dmin)}};
    case TensorType::kF16:
    case TensorType::kBF16:
    case TensorType::kF32:
      return {1, {0, 0}};
  }
  return {};
}

// True if any of the numbers at `offset` in blocks of `stride` bytes has all exponent bits set.
template <class Word>
bool any_at(const std::byte* data, std::size_t n_blocks, std::size_t stride, std::size_t offset, Word exponent) {
  bool found = false;
  for (std::size_t i = 0; i < n_blocks; ++i) {
    Word word;
    std::memcpy(&word, data + i * stride + offset, sizeof(word));
    found |= (word & exponent) == exponent;
  }
  return found;
}

bool any_not_finite(TensorType type, const std::byte* data, std::size_t n_blocks) {
  const auto stride = static_cast<std::size_t>(type_info(type)->block_bytes);
  if (type == TensorType::kF32) return any_at<std::uint32_t>(data, n_blocks, stride, 0, 0x7f80'0000U);
  if (type == TensorType::kBF16) return any_at<std::uint16_t>(data, n_blocks, stride, 0, 0x7f80U);
  const ScaleOffsets scales = scale_offsets(type);
  bool found = false;
  for (std::size_t i = 0; i < scales.n; ++i) {
    found |= any_at<std::uint16_t>(data, n_blocks, stride, scales.offsets[i], 0x7c00U);
  }
  return found;
}

}  // namespace

Result<void> check_finite(TensorType type, std::span<const std::byte> data, std::string_view name) {
  const TypeInfo* info = type_info(type);
  RECKON_CHECK(info != nullptr && data.size() % static_cast<std::size_t>(info->block_bytes) == 0);
  const auto stride = static_cast<std::size_t>(info->block_bytes);
  const std::size_t n_blocks = data.size() / stride;
  if (!any_not_finite(type, data.data(), n_blocks)) return {};
  std::size_t i = 0;
  while (!any_not_finite(type, data.data() + i * stride, 1)) ++i;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("tensor '{}': {} {} is not a finite number: the file is damaged, download it again", name,
                          info->block_elements == 1 ? "element" : "the scale of block", i));
}

}  // namespace reckon::quant
