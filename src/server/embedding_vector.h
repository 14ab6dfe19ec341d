#pragma once
// Embeddings as clients get them.

#include <optional>
#include <string>
#include <vector>

namespace reckon::server {

// The first `dimensions` values where that is set, scaled to a length of 1.
[[nodiscard]] std::vector<float> normalised(std::vector<float> vector, std::optional<int> dimensions);
// A list of numbers.
[[nodiscard]] std::string vector_json(const std::vector<float>& vector);

}  // namespace reckon::server
