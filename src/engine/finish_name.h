#pragma once
// The names of ends, as in JSON output and in statistics.

#include <string_view>

#include "reckon/engine.h"

namespace reckon::engine {

// stop, length, repetition, cancelled, failed, timeout; "running" before the end.
[[nodiscard]] std::string_view finish_name(Finish finish);

}  // namespace reckon::engine
