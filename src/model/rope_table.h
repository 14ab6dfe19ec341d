#pragma once
// Cosines and sines of every position, computed once. Source of the scalings: RoFormer (arXiv 2104.09864), Llama 3's
// frequency factors as GGUF stores them (rope_freqs.weight), YaRN (arXiv 2309.00071).

#include <vector>

#include "arch/model_config.h"

namespace reckon::model {

class RopeTable {
 public:
  RopeTable() = default;
  RopeTable(const arch::RopeConfig& config, int max_context);

  [[nodiscard]] const float* cosine(int position) const { return cosine_.data() + offset(position); }  // [n_dims / 2]
  [[nodiscard]] const float* sine(int position) const { return sine_.data() + offset(position); }

 private:
  [[nodiscard]] std::size_t offset(int position) const {
    return static_cast<std::size_t>(position) * static_cast<std::size_t>(half_);
  }
  int half_ = 0;
  std::vector<float> cosine_;
  std::vector<float> sine_;
};

}  // namespace reckon::model
