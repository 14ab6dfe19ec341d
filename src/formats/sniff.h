#pragma once
// What a file is that is not a model: the usual ways a download or a pick goes wrong.

#include <cstddef>
#include <span>

#include "base/result.h"

namespace reckon::formats {

// Checks the first bytes and the version of a GGUF file. A failure says what the file is instead and what to do;
// never only "bad magic". Looks at no more than the first 512 bytes.
Result<void> check_is_gguf(std::span<const std::byte> bytes);

}  // namespace reckon::formats
