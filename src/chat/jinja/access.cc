#include "chat/jinja/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/result.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/macro.h"
#include "chat/jinja/methods.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

Value missing(const Value& value, std::string_view name) {
  return Value::undefined(fmt::format("'{} object' has no attribute '{}'", value.type_name(), name.substr(0, 100)));
}

// An index counted from the end where it is negative; empty where it is out of range.
std::optional<std::size_t> place(std::int64_t index, std::size_t size) {
  if (index < 0) index += static_cast<std::int64_t>(size);
  if (index < 0 || index >= static_cast<std::int64_t>(size)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

bool is_indexable(const List& list) {
  return list.kind == ListKind::kList || list.kind == ListKind::kTuple || list.kind == ListKind::kRange;
}

Result<std::optional<Value>> character(Runtime& runtime, const Value& value, std::int64_t index) {
  const MarkedText& text = *value.as_text();
  RECKON_TRY_VOID(runtime.charge(text.size() / kBytesPerStep + 1));
  const auto at = place(index, count_characters(text.bytes()));
  if (!at) return std::nullopt;
  const std::size_t begin = offset_of(text.bytes(), *at);
  return Value::text(text.slice(begin, begin + character_at(text.bytes(), begin).size), value.is_safe());
}

Result<std::optional<Value>> find_item(Runtime& runtime, const Value& value, const Value& key) {
  if (const Dict* dict = value.as_dict()) {
    if (!is_hashable(key)) return std::nullopt;
    RECKON_TRY(const Value* found, find_key(runtime, *dict, key));
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  std::int64_t index = 0;
  if (!key.int_like(index)) return std::nullopt;
  if (value.as_text() != nullptr) return character(runtime, value, index);
  const List* list = value.as_list();
  if (list == nullptr || !is_indexable(*list)) return std::nullopt;
  const auto at = place(index, list->items.size());
  return at ? std::optional<Value>(list->items[*at]) : std::nullopt;
}

struct Range {
  std::int64_t start;
  std::int64_t step;
  std::size_t n;
};

Result<std::optional<std::int64_t>> bound(const Value& value) {
  if (value.is_undefined() || value.is_none()) return std::nullopt;
  std::int64_t number = 0;
  if (!value.int_like(number)) return type_error("slice indices must be integers");
  return number;
}

// What slice.indices() of Python makes of a slice of `size` items.
Result<Range> slice_range(std::size_t size, const Value& start, const Value& stop, const Value& step) {
  RECKON_TRY(const auto asked_step, bound(step));
  RECKON_TRY(const auto asked_start, bound(start));
  RECKON_TRY(const auto asked_stop, bound(stop));
  const std::int64_t by =
      std::clamp<std::int64_t>(asked_step.value_or(1), -(std::int64_t{1} << 32), std::int64_t{1} << 32);
  if (by == 0) return type_error("slice step cannot be zero");
  const auto n = static_cast<std::int64_t>(size);
  const std::int64_t low = by > 0 ? 0 : -1;
  const std::int64_t high = by > 0 ? n : n - 1;
  const auto clamp = [&](std::optional<std::int64_t> asked, std::int64_t otherwise) {
    if (!asked) return otherwise;
    const std::int64_t at = *asked < 0 ? std::max(*asked, -n - 1) + n : *asked;
    return std::clamp(at, low, high);
  };
  const std::int64_t first = clamp(asked_start, by > 0 ? low : high);
  const std::int64_t last = clamp(asked_stop, by > 0 ? high : low);
  const std::int64_t span = by > 0 ? last - first : first - last;
  const std::int64_t width = by > 0 ? by : -by;
  return Range{first, by, span <= 0 ? 0 : static_cast<std::size_t>((span + width - 1) / width)};
}

Result<Value> slice_text(Runtime& runtime, const Value& value, const Value& start, const Value& stop,
                         const Value& step) {
  const MarkedText& text = *value.as_text();
  RECKON_TRY_VOID(runtime.charge(text.size() / kBytesPerStep + 1));
  RECKON_TRY(const Range range, slice_range(count_characters(text.bytes()), start, stop, step));
  if (range.n == 0) return Value::text(MarkedText(), value.is_safe());
  if (range.step == 1) {
    const std::size_t begin = offset_of(text.bytes(), static_cast<std::size_t>(range.start));
    const std::size_t length = offset_of(std::string_view(text.bytes()).substr(begin), range.n);
    RECKON_TRY_VOID(runtime.charge_text(length));
    return Value::text(text.slice(begin, begin + length), value.is_safe());
  }
  RECKON_TRY_VOID(runtime.charge_text(text.size() * 8));
  std::vector<std::uint32_t> offsets;
  each_character(
      text, [&](Character, std::string_view, std::size_t at) { offsets.push_back(static_cast<std::uint32_t>(at)); });
  MarkedText out;
  std::int64_t at = range.start;
  for (std::size_t i = 0; i < range.n; ++i, at += range.step) {
    const std::size_t begin = offsets[static_cast<std::size_t>(at)];
    out.append(text, begin, begin + character_at(text.bytes(), begin).size);
  }
  return Value::text(std::move(out), value.is_safe());
}

}  // namespace

Result<Value> get_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  RECKON_TRY_VOID(runtime.charge(1));
  if (value.is_undefined()) return undefined_error(value);
  if (const Namespace* space = value.as_namespace()) {
    for (const auto& [attribute, held] : space->attributes) {
      if (attribute == name) return held;
    }
    return missing(value, name);
  }
  if (LoopState* loop = value.as_loop()) {
    RECKON_TRY(Value attribute, loop_attribute(runtime, *loop, name));
    return attribute.is_undefined() && name != "previtem" && name != "nextitem" ? missing(value, name) : attribute;
  }
  RECKON_TRY(std::optional<Value> method, find_method(runtime, value, name));
  if (method) return std::move(*method);
  if (const Dict* dict = value.as_dict()) {
    RECKON_TRY_VOID(runtime.charge(dict->entries.size() / 16));
    if (const Value* found = find_key(*dict, name)) return *found;
  }
  return missing(value, name);
}

Result<Value> get_item(Runtime& runtime, const Value& value, const Value& key) {
  RECKON_TRY_VOID(runtime.charge(1));
  if (value.is_undefined()) return undefined_error(value);
  RECKON_TRY(std::optional<Value> item, find_item(runtime, value, key));
  if (item) return std::move(*item);
  if (const MarkedText* name = key.as_text()) {
    if (value.as_namespace() != nullptr || value.as_loop() != nullptr)
      return get_attribute(runtime, value, name->bytes());
    RECKON_TRY(std::optional<Value> method, find_method(runtime, value, name->bytes()));
    if (method) return std::move(*method);
    return missing(value, name->bytes());
  }
  return Value::undefined(fmt::format("{} object has no such element", value.type_name()));
}

Result<Value> get_slice(Runtime& runtime, const Value& value, const Value& start, const Value& stop,
                        const Value& step) {
  if (value.is_undefined()) return undefined_error(value);
  if (value.as_text() != nullptr) return slice_text(runtime, value, start, stop, step);
  const List* list = value.as_list();
  if (list == nullptr || !is_indexable(*list)) return missing(value, "[:]");
  RECKON_TRY(const Range range, slice_range(list->items.size(), start, stop, step));
  std::vector<Value> items;
  items.reserve(range.n);
  std::int64_t at = range.start;
  for (std::size_t i = 0; i < range.n; ++i, at += range.step)
    items.push_back(list->items[static_cast<std::size_t>(at)]);
  return runtime.list(std::move(items), list->kind);
}

Value path_part(std::string_view part) {
  const bool is_index =
      !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::int64_t index = 0;
  if (is_index && std::from_chars(part.data(), part.data() + part.size(), index).ec == std::errc()) {
    return Value::integer(index);
  }
  return Value::literal(part);
}

Result<Value> get_path(Runtime& runtime, const Value& value, std::string_view path) {
  Value at = value;
  while (true) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    RECKON_TRY(at, get_item(runtime, at, path_part(path.substr(0, dot))));
    if (dot == path.size()) return at;
    path.remove_prefix(dot + 1);
  }
}

Result<ListRef> items_of(Runtime& runtime, const Value& value) {
  if (const auto* ref = std::get_if<ListRef>(&value.data())) {
    const List& list = **ref;
    if (list.kind == ListKind::kGenerator && std::exchange(list.walked, true)) return std::make_shared<const List>();
    return *ref;
  }
  if (value.is_undefined()) return std::make_shared<const List>();
  std::vector<Value> items;
  if (const Dict* dict = value.as_dict()) {
    RECKON_TRY_VOID(runtime.charge(dict->entries.size()));
    for (const auto& [key, held] : dict->entries) items.push_back(key);
  } else if (const MarkedText* text = value.as_text()) {
    const std::size_t n = count_characters(text->bytes());
    RECKON_TRY_VOID(runtime.charge(kStepsPerObject * n));
    items.reserve(n);
    each_character(*text, [&](Character c, std::string_view, std::size_t at) {
      items.push_back(Value::text(text->slice(at, at + c.size)));
    });
  } else {
    return type_error(fmt::format("'{}' object is not iterable", value.type_name()));
  }
  RECKON_TRY(const Value list, runtime.list(std::move(items)));
  return std::get<ListRef>(list.data());
}

Result<std::int64_t> length_of(Runtime& runtime, const Value& value) {
  if (const MarkedText* text = value.as_text()) {
    RECKON_TRY_VOID(runtime.charge(text->size() / kBytesPerStep + 1));
    return static_cast<std::int64_t>(count_characters(text->bytes()));
  }
  if (const Dict* dict = value.as_dict()) return static_cast<std::int64_t>(dict->entries.size());
  const List* list = value.as_list();
  if (list != nullptr && list->kind != ListKind::kGenerator) return static_cast<std::int64_t>(list->items.size());
  if (value.is_undefined()) return 0;
  if (LoopState* loop = value.as_loop()) {
    RECKON_TRY(const Value length, loop_attribute(runtime, *loop, "length"));
    return *length.as_int();
  }
  return type_error(fmt::format("object of type '{}' has no length", value.type_name()));
}

}  // namespace reckon::chat::jinja
