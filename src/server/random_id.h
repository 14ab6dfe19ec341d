#pragma once
// Ids that nobody can guess: who knows the id of a running answer may be asked no more.

#include <string>
#include <string_view>

namespace reckon::server {

// "chatcmpl-" and 24 hexadecimal digits of the operating system's randomness.
[[nodiscard]] std::string random_id(std::string_view prefix);

}  // namespace reckon::server
