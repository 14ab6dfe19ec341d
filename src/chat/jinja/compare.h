#pragma once
// Truth, equality, order and membership, as Python has them.

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

[[nodiscard]] bool is_true(const Value& value);
// Charges for every compared element: a value that shares its parts may be far larger than its memory.
[[nodiscard]] Result<bool> are_equal(Runtime& runtime, const Value& a, const Value& b);
// a < b; kInvalidInput for types without an order.
[[nodiscard]] Result<bool> is_less(Runtime& runtime, const Value& a, const Value& b);
// needle in haystack
[[nodiscard]] Result<bool> contains(Runtime& runtime, const Value& haystack, const Value& needle);
// The value of a key; null where there is none.
[[nodiscard]] Result<const Value*> find_key(Runtime& runtime, const Dict& dict, const Value& key);
[[nodiscard]] const Value* find_key(const Dict& dict, std::string_view key);
[[nodiscard]] bool is_hashable(const Value& value);

}  // namespace reckon::chat::jinja
