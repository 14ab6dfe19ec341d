#pragma once
// The escapes of a string constant.

#include <string>
#include <string_view>

#include "reckon/result.h"

namespace reckon::chat::jinja {

// As Python's unicode-escape codec: \n, \xhh, \uhhhh, octal ...; an unknown escape stays as it is.
[[nodiscard]] Result<std::string> unescape(std::string_view text);

}  // namespace reckon::chat::jinja
