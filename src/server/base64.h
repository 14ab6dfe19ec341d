#pragma once
// Bytes as text (RFC 4648, with padding).

#include <cstddef>
#include <span>
#include <string>

namespace reckon::server {

[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);

}  // namespace reckon::server
