#pragma once
// The methods of str, list, dict and number that a template may call. Those that would change a value do not exist:
// they are undefined, and a call of one says so, as in Jinja's immutable sandbox.

#include <optional>
#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

// The attribute `name` that the type of `value` has in Python; empty where it has none.
[[nodiscard]] Result<std::optional<Value>> find_method(Runtime& runtime, const Value& value, std::string_view name);

struct MethodEntry {
  std::string_view name;
  NativeFunction function;
};
[[nodiscard]] NativeFunction find_text_method(std::string_view name);

}  // namespace reckon::chat::jinja
