#pragma once
// Attributes, items, slices and iteration. What is not there is undefined, as in Jinja; an attribute of something
// undefined is an error. Only data and the methods of methods.h can be reached.

#include <optional>
#include <string_view>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

// value.name: a method of the type, else the item of that name.
[[nodiscard]] Result<Value> get_attribute(Runtime& runtime, const Value& value, std::string_view name);
// value[key]: the item, else a method of that name.
[[nodiscard]] Result<Value> get_item(Runtime& runtime, const Value& value, const Value& key);
// value[start:stop:step]; undefined stands for one that was left out.
[[nodiscard]] Result<Value> get_slice(Runtime& runtime, const Value& value, const Value& start, const Value& stop,
                                      const Value& step);
// A dotted path, as the attribute arguments of filters have it; parts of digits are indexes.
[[nodiscard]] Result<Value> get_path(Runtime& runtime, const Value& value, std::string_view path);
[[nodiscard]] Value path_part(std::string_view part);

// The items of anything that can be iterated over: list items, dict keys, characters. A generator is empty afterwards.
[[nodiscard]] Result<ListRef> items_of(Runtime& runtime, const Value& value);
// len(value)
[[nodiscard]] Result<std::int64_t> length_of(Runtime& runtime, const Value& value);

}  // namespace reckon::chat::jinja
