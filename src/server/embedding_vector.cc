#include "server/embedding_vector.h"

#include <algorithm>
#include <cmath>

#include "text/json_writer.h"

namespace reckon::server {

std::vector<float> normalised(std::vector<float> vector, std::optional<int> dimensions) {
  if (dimensions) vector.resize(std::min(vector.size(), static_cast<std::size_t>(*dimensions)));
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * value;
  const double scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
  for (float& value : vector) value = static_cast<float>(value * scale);
  return vector;
}

std::string vector_json(const std::vector<float>& vector) {
  text::JsonArray list;
  for (const float value : vector) list.raw(text::json_number(value, 8));
  return list.str();
}

}  // namespace reckon::server
