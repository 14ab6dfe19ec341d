#include "kernels/reference.h"

#include <algorithm>
#include <cmath>

#include "quant/dequantize.h"

namespace reckon::kernels::reference {
namespace {

std::vector<float> row_of(TensorType type, std::span<const std::byte> weights, int row, int n_cols) {
  std::vector<float> out(static_cast<std::size_t>(n_cols));
  const std::size_t row_bytes = quant::row_bytes(type, n_cols);
  quant::dequantize_row(type, weights.data() + static_cast<std::size_t>(row) * row_bytes, n_cols, out.data());
  return out;
}

template <class Value>
std::vector<double> product(TensorType type, std::span<const std::byte> weights, int n_rows, int n_cols,
                            std::vector<double>& magnitude, Value value) {
  std::vector<double> out;
  magnitude.clear();
  for (int r = 0; r < n_rows; ++r) {
    const auto w = row_of(type, weights, r, n_cols);
    double sum = 0;
    double sum_abs = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double term = static_cast<double>(w[k]) * value(k);
      sum += term;
      sum_abs += std::abs(term);
    }
    out.push_back(sum);
    magnitude.push_back(sum_abs);
  }
  return out;
}

}  // namespace

QuantisedRow quantize(std::span<const float> x) {
  QuantisedRow out;
  for (std::size_t block = 0; block < x.size(); block += 32) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[block + i]));
    const float inverse = largest > 0 ? 127.0F / largest : 0.0F;
    out.scale.push_back(static_cast<double>(largest / 127.0F));
    for (std::size_t i = 0; i < 32; ++i) {
      out.q.push_back(static_cast<std::int8_t>(std::nearbyint(x[block + i] * inverse)));
    }
  }
  return out;
}

std::vector<double> matvec(TensorType type, std::span<const std::byte> weights, int n_rows, int n_cols,
                           const QuantisedRow& x, std::vector<double>& magnitude) {
  return product(type, weights, n_rows, n_cols, magnitude, [&](std::size_t k) { return x.q[k] * x.scale[k / 32]; });
}

std::vector<double> matvec(TensorType type, std::span<const std::byte> weights, int n_rows, int n_cols,
                           std::span<const float> x, std::vector<double>& magnitude) {
  return product(type, weights, n_rows, n_cols, magnitude, [&](std::size_t k) { return static_cast<double>(x[k]); });
}

std::vector<double> attention(std::span<const float> query, std::span<const float> keys,
                              std::span<const float> values) {
  const std::size_t size = query.size();
  const std::size_t n_keys = keys.size() / size;
  std::vector<double> weight(n_keys);
  double largest = -HUGE_VAL;
  for (std::size_t k = 0; k < n_keys; ++k) {
    for (std::size_t i = 0; i < size; ++i)
      weight[k] += static_cast<double>(query[i]) * static_cast<double>(keys[k * size + i]);
    largest = std::max(largest, weight[k]);
  }
  double total = 0;
  std::vector<double> out(size);
  for (std::size_t k = 0; k < n_keys; ++k) {
    const double p = std::exp2(weight[k] - largest);
    total += p;
    for (std::size_t i = 0; i < size; ++i) out[i] += p * static_cast<double>(values[k * size + i]);
  }
  for (double& v : out) v /= total;
  return out;
}

}  // namespace reckon::kernels::reference
