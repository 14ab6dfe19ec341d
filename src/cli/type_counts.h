#pragma once
// The tensors of a model file by type: for `reckon info`, also of files that cannot run.

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace reckon::cli
