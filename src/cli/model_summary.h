#pragma once
// What a model file is, counted: for `reckon info`.

#include <cstdint>
#include <string>
#include <vector>

#include "arch/model_config.h"
#include "formats/tensor_file.h"

namespace reckon::cli {

struct TypeCount {
  std::string type;  // Q4_K
  int n_tensors = 0;
  std::uint64_t n_elements = 0;
  std::uint64_t n_bytes = 0;
};
// Most bytes first.
std::vector<TypeCount> count_types(const formats::TensorFile& file);

// Memory that running takes, in bytes.
struct MemoryNeed {
  std::uint64_t weights = 0;  // packed
  std::uint64_t kv_per_token = 0;
  std::uint64_t kv = 0;  // of `n_context` tokens
  int n_context = 0;
  [[nodiscard]] std::uint64_t total() const { return weights + kv; }
};
// Keys and values are kept as 16-bit floats: 2 * layers * kv heads * head size * 2 bytes a token.
MemoryNeed memory_need(const arch::Plan& plan, int n_context);

}  // namespace reckon::cli
