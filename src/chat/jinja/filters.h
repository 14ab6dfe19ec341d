#pragma once
// The filters: value | name(arguments).

#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

struct FilterEntry {
  std::string_view name;
  NativeFunction function;  // self is the filtered value
};

// Null where there is none. The function's `self` is the filtered value.
[[nodiscard]] NativeFunction find_filter(std::string_view name);

// The tables of the two files that hold them.
[[nodiscard]] NativeFunction find_text_filter(std::string_view name);
[[nodiscard]] NativeFunction find_list_filter(std::string_view name);

}  // namespace reckon::chat::jinja
