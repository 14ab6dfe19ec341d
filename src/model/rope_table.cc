#include "model/rope_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reckon::model {
namespace {

// YaRN: dimensions that turn more than kFast times over the original context keep their frequency, those that turn less
// than kSlow times are interpolated, a ramp lies between. Constants of the paper, section 3.2.
constexpr double kFast = 32;
constexpr double kSlow = 1;

double yarn_dimension(const arch::RopeConfig& config, double turns) {
  return config.n_dims * std::log(config.yarn_original_context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(static_cast<double>(config.base)));
}

std::vector<double> frequencies(const arch::RopeConfig& config) {
  std::vector<double> out;
  const double low = std::max(0.0, std::floor(yarn_dimension(config, kFast)));
  const double high = std::min(config.n_dims - 1.0, std::ceil(yarn_dimension(config, kSlow)));
  for (int i = 0; i < config.n_dims / 2; ++i) {
    double frequency = std::pow(static_cast<double>(config.base), -2.0 * i / config.n_dims);
    if (!config.factors.empty()) frequency /= config.factors[static_cast<std::size_t>(i)];
    if (config.yarn_factor > 1) {
      const double ramp = std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0);
      frequency = frequency / config.yarn_factor * ramp + frequency * (1 - ramp);
    }
    out.push_back(frequency * config.scale);
  }
  return out;
}

}  // namespace

RopeTable::RopeTable(const arch::RopeConfig& config, int max_context) : half_(config.n_dims / 2) {
  const auto frequency = frequencies(config);
  const double magnitude = config.yarn_factor > 1 ? 0.1 * std::log(static_cast<double>(config.yarn_factor)) + 1 : 1;
  const auto n = static_cast<std::size_t>(max_context) * static_cast<std::size_t>(half_);
  cosine_.reserve(n);
  sine_.reserve(n);
  for (int position = 0; position < max_context; ++position) {
    for (const double f : frequency) {
      cosine_.push_back(static_cast<float>(std::cos(position * f) * magnitude));
      sine_.push_back(static_cast<float>(std::sin(position * f) * magnitude));
    }
  }
}

}  // namespace reckon::model
