#pragma once
// Arithmetic of Python's int, float, str and list. Integers are 64-bit: what Python would answer with a longer one
// is an error here.

#include <cstdint>
#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

enum class BinaryOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kFloorDiv, kMod, kPow };

[[nodiscard]] Result<Value> apply(Runtime& runtime, BinaryOp op, const Value& a, const Value& b);
[[nodiscard]] Result<Value> negate(const Value& value);
// A use of an undefined value that Python refuses; the message says what is undefined.
[[nodiscard]] std::unexpected<Error> undefined_error(const Value& value);

// text % values
[[nodiscard]] Result<Value> format_percent(Runtime& runtime, const MarkedText& text, const Value& values);
// text.format(...)
[[nodiscard]] Result<Value> format_braces(Runtime& runtime, const MarkedText& text, const Args& args);

}  // namespace reckon::chat::jinja
