#pragma once
// The tests: value is name(arguments).

#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

using TestFunction = Result<bool> (*)(Runtime&, const Value& value, const Args&);

// Null where there is none.
[[nodiscard]] TestFunction find_test(std::string_view name);

}  // namespace reckon::chat::jinja
