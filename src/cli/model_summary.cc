#include "cli/model_summary.h"

#include <algorithm>

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

MemoryNeed memory_need(const arch::Plan& plan, int n_context) {
  MemoryNeed need;
  need.n_context = n_context;
  need.weights = plan.tensors.bytes_per_token();
  const auto per_layer = static_cast<std::uint64_t>(plan.config.kv_size()) * 2 * sizeof(std::uint16_t);
  need.kv_per_token = per_layer * static_cast<std::uint64_t>(plan.config.n_layers);
  need.kv = need.kv_per_token * static_cast<std::uint64_t>(n_context);
  return need;
}

}  // namespace reckon::cli
