#pragma once

namespace reckon {
inline constexpr const char* kVersion = "0.1.0";
}
