#pragma once
// The slow twins: plain loops in double, for tests to compare the tables with.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor_type.h"

namespace reckon::kernels::reference {

// Activations of one token, quantised as table.h says: [n] codes, [n / 32] scales.
struct QuantisedRow {
  std::vector<std::int8_t> q;
  std::vector<double> scale;
};
QuantisedRow quantize(std::span<const float> x);

// weights: n_rows rows of blocks as in the file. Returns [n_rows], and in `magnitude` the sum of absolute terms of each
// row: what a forward error bound is relative to.
std::vector<double> matvec(TensorType type, std::span<const std::byte> weights, int n_rows, int n_cols,
                           const QuantisedRow& x, std::vector<double>& magnitude);
std::vector<double> matvec(TensorType type, std::span<const std::byte> weights, int n_rows, int n_cols,
                           std::span<const float> x, std::vector<double>& magnitude);

// softmax(query . keys) . values for one query; keys and values [n_keys][head_size]; the query holds its scale.
std::vector<double> attention(std::span<const float> query, std::span<const float> keys, std::span<const float> values);

}  // namespace reckon::kernels::reference
