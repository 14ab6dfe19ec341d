#include "cli/type_counts.h"

#include <algorithm>
#include <functional>

namespace reckon::cli {

std::vector<TypeCount> count_types(const formats::TensorFile& file) {
  std::vector<TypeCount> counts;
  for (const formats::Tensor& tensor : file.tensors()) {
    const TypeInfo* info = type_info(tensor.type);
    const std::string name = info == nullptr ? "unknown" : info->name;
    auto found = std::ranges::find(counts, name, &TypeCount::type);
    if (found == counts.end()) found = counts.insert(counts.end(), TypeCount{.type = name});
    ++found->n_tensors;
    found->n_elements += static_cast<std::uint64_t>(tensor.n_elements());
    found->n_bytes += tensor.data.size();
  }
  std::ranges::stable_sort(counts, std::greater(), &TypeCount::n_bytes);
  return counts;
}

}  // namespace reckon::cli
