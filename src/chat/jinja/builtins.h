#pragma once
// The functions that every template may call: range, dict, namespace, raise_exception, strftime_now.

#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

// Null where there is none.
[[nodiscard]] NativeFunction find_builtin(std::string_view name);

}  // namespace reckon::chat::jinja
