#pragma once
// The GGUF container, versions 2 and 3, little endian: header, metadata, where each tensor lies. All of it checked.
// Source: the GGUF specification (ggml/docs/gguf.md).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor_type.h"
#include "formats/metadata.h"

namespace reckon::formats {

struct GgufTensor {
  std::string_view name;
  TensorType type = TensorType::kF32;
  std::vector<std::int64_t> shape;  // 1..4 entries, each 1..2^31-1
  std::size_t offset = 0;           // in the file
  std::size_t n_bytes = 0;          // offset + n_bytes <= the file's size
};

// Views into the bytes that were parsed.
struct GgufContents {
  Metadata metadata;
  std::vector<GgufTensor> tensors;  // in file order; names unique, data does not overlap
};

// Errors are one line without the file's name: kInvalidInput, kLimit, kUnsupported.
Result<GgufContents> parse_gguf(std::span<const std::byte> bytes);

}  // namespace reckon::formats
