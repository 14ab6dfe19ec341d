#pragma once

#include <cstdint>

namespace reckon {

// The index of a token in its model's vocabulary.
using TokenId = std::int32_t;

}  // namespace reckon
