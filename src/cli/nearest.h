#pragma once
// "Did you mean ...": the closest of a list of names.

#include <span>
#include <string>
#include <string_view>

namespace reckon::cli {

// Empty where none is near: more than a third of the letters differ (insert, delete, replace or swap of neighbours).
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> names);

}  // namespace reckon::cli
