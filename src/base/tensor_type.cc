#include "base/tensor_type.h"

#include <array>
#include <cstddef>

namespace reckon {
namespace {

struct Row {
  TensorType type;
  TypeInfo info;
};

constexpr std::array<Row, 15> kRows = {{
    {TensorType::kF32, {"F32", 1, 4}},
    {TensorType::kF16, {"F16", 1, 2}},
    {TensorType::kQ4_0, {"Q4_0", 32, 18}},
    {TensorType::kQ4_1, {"Q4_1", 32, 20}},
    {TensorType::kQ5_0, {"Q5_0", 32, 22}},
    {TensorType::kQ5_1, {"Q5_1", 32, 24}},
    {TensorType::kQ8_0, {"Q8_0", 32, 34}},
    {TensorType::kQ2_K, {"Q2_K", 256, 84}},
    {TensorType::kQ3_K, {"Q3_K", 256, 110}},
    {TensorType::kQ4_K, {"Q4_K", 256, 144}},
    {TensorType::kQ5_K, {"Q5_K", 256, 176}},
    {TensorType::kQ6_K, {"Q6_K", 256, 210}},
    {TensorType::kIQ4_NL, {"IQ4_NL", 32, 18}},
    {TensorType::kIQ4_XS, {"IQ4_XS", 256, 136}},
    {TensorType::kBF16, {"BF16", 1, 2}},
}};

constexpr std::array<TensorType, kRows.size()> kTypes = [] {
  std::array<TensorType, kRows.size()> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = kRows[i].type;
  return types;
}();

// Index: the number in the file. Empty names were never given out.
constexpr std::array<std::string_view, 42> kNames = {"F32",
                                                     "F16",
                                                     "Q4_0",
                                                     "Q4_1",
                                                     "Q4_2 (removed)",
                                                     "Q4_3 (removed)",
                                                     "Q5_0",
                                                     "Q5_1",
                                                     "Q8_0",
                                                     "Q8_1",
                                                     "Q2_K",
                                                     "Q3_K",
                                                     "Q4_K",
                                                     "Q5_K",
                                                     "Q6_K",
                                                     "Q8_K",
                                                     "IQ2_XXS",
                                                     "IQ2_XS",
                                                     "IQ3_XXS",
                                                     "IQ1_S",
                                                     "IQ4_NL",
                                                     "IQ3_S",
                                                     "IQ2_S",
                                                     "IQ4_XS",
                                                     "I8",
                                                     "I16",
                                                     "I32",
                                                     "I64",
                                                     "F64",
                                                     "IQ1_M",
                                                     "BF16",
                                                     "Q4_0_4_4 (removed)",
                                                     "Q4_0_4_8 (removed)",
                                                     "Q4_0_8_8 (removed)",
                                                     "TQ1_0",
                                                     "TQ2_0",
                                                     "IQ4_NL_4_4 (removed)",
                                                     "IQ4_NL_4_8 (removed)",
                                                     "IQ4_NL_8_8 (removed)",
                                                     "MXFP4",
                                                     "NVFP4"};

}  // namespace

const TypeInfo* type_info(TensorType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return &row.info;
  }
  return nullptr;
}

std::optional<TensorType> type_from_id(std::uint32_t id) {
  for (const Row& row : kRows) {
    if (static_cast<std::uint32_t>(row.type) == id) return row.type;
  }
  return std::nullopt;
}

std::string_view type_id_name(std::uint32_t id) { return id < kNames.size() ? kNames[id] : std::string_view{}; }

std::span<const TensorType> all_tensor_types() { return kTypes; }

}  // namespace reckon
