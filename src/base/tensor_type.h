#pragma once
// Element types of tensors, with the numbers that GGUF uses for them, and the size of their blocks.
// Source: the GGUF specification (ggml/docs/gguf.md); block sizes as in gguf-py's GGML_QUANT_SIZES.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace reckon {

// Only the types listed here can be read. A number from a file goes through type_from_id(), never through a cast.
enum class TensorType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kIQ4_XS = 23,
  kBF16 = 30,
};

struct TypeInfo {
  const char* name;    // "Q4_K"
  int block_elements;  // 256
  int block_bytes;     // 144
};

// Null where `type` is none of the enumerators.
const TypeInfo* type_info(TensorType type);

// Empty: not supported. type_id_name() may still know what it is, for a message.
std::optional<TensorType> type_from_id(std::uint32_t id);

// The name of any type number that GGUF ever had ("IQ2_XXS", "Q4_0_4_4 (removed)"); empty: no such type.
std::string_view type_id_name(std::uint32_t id);

// Every supported type, in order of its number.
std::span<const TensorType> all_tensor_types();

}  // namespace reckon
