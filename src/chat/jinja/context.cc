#include "chat/jinja/context.h"

#include <algorithm>

namespace reckon::chat::jinja {

Value make_dict(std::vector<std::pair<Value, Value>> entries) {
  auto dict = std::make_shared<Dict>();
  for (const auto& [name, value] : entries) dict->depth = std::max(dict->depth, value.depth() + 1);
  dict->entries = std::move(entries);
  return Value::of(DictRef(std::move(dict)));
}

Value make_list(std::vector<Value> items) {
  auto list = std::make_shared<List>();
  for (const Value& item : items) list->depth = std::max(list->depth, item.depth() + 1);
  list->items = std::move(items);
  return Value::of(ListRef(std::move(list)));
}

Value to_value(const text::Json& json, Mark mark) {
  if (const bool* flag = json.as_bool()) return Value::boolean(*flag, mark);
  if (const auto* integer = json.as_int()) return Value::integer(*integer, mark);
  if (const auto* real = json.as_double()) return Value::real(*real, mark);
  if (const auto* string = json.as_string()) return Value::text(MarkedText(*string, mark));
  if (const auto* array = json.as_array()) {
    std::vector<Value> items;
    items.reserve(array->size());
    for (const text::Json& item : *array) items.push_back(to_value(item, mark));
    return make_list(std::move(items));
  }
  if (const auto* object = json.as_object()) {
    std::vector<std::pair<Value, Value>> entries;
    entries.reserve(object->size());
    for (const text::JsonMember& member : *object) {
      entries.emplace_back(Value::text(MarkedText(member.name, mark)), to_value(member.value, mark));
    }
    return make_dict(std::move(entries));
  }
  return Value::none();
}

}  // namespace reckon::chat::jinja
