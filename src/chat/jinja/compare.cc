#include "chat/jinja/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "base/result.h"
#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {
namespace {

Result<bool> equal_lists(Runtime& runtime, const List& a, const List& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.kind == ListKind::kGenerator || a.kind == ListKind::kValues) return &a == &b;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    RECKON_TRY(const bool equal, are_equal(runtime, a.items[i], b.items[i]));
    if (!equal) return false;
  }
  return true;
}

Result<bool> equal_dicts(Runtime& runtime, const Dict& a, const Dict& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, value] : a.entries) {
    RECKON_TRY(const Value* other, find_key(runtime, b, key));
    if (other == nullptr) return false;
    RECKON_TRY(const bool equal, are_equal(runtime, value, *other));
    if (!equal) return false;
  }
  return true;
}

bool equal_numbers(const Value& a, const Value& b) {
  std::int64_t i = 0;
  std::int64_t j = 0;
  if (a.int_like(i) && b.int_like(j)) return i == j;
  double x = 0;
  double y = 0;
  return a.number(x) && b.number(y) && x == y;
}

Result<bool> less_lists(Runtime& runtime, const List& a, const List& b) {
  const std::size_t n = std::min(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < n; ++i) {
    RECKON_TRY(const bool equal, are_equal(runtime, a.items[i], b.items[i]));
    if (!equal) return is_less(runtime, a.items[i], b.items[i]);
  }
  return a.items.size() < b.items.size();
}

}  // namespace

bool is_true(const Value& value) {
  if (value.is_undefined() || value.is_none()) return false;
  if (const bool* flag = value.as_bool()) return *flag;
  if (const auto* integer = value.as_int()) return *integer != 0;
  if (const auto* real = value.as_real()) return *real != 0;
  if (const MarkedText* text = value.as_text()) return !text->empty();
  if (const List* list = value.as_list()) return list->kind == ListKind::kGenerator || !list->items.empty();
  if (const Dict* dict = value.as_dict()) return !dict->entries.empty();
  return true;
}

Result<bool> are_equal(Runtime& runtime, const Value& a, const Value& b) {
  RECKON_TRY_VOID(runtime.charge(1));
  double unused = 0;
  if (a.number(unused)) return equal_numbers(a, b);
  if (a.data().index() != b.data().index()) return false;
  if (const MarkedText* text = a.as_text()) {
    RECKON_TRY_VOID(runtime.charge(text->size() / kBytesPerStep / 4));
    return text->bytes() == b.as_text()->bytes();
  }
  if (const List* list = a.as_list()) return equal_lists(runtime, *list, *b.as_list());
  if (const Dict* dict = a.as_dict()) return equal_dicts(runtime, *dict, *b.as_dict());
  if (const Callable* callable = a.as_callable()) return callable == b.as_callable();
  if (a.as_namespace() != nullptr) return a.as_namespace() == b.as_namespace();
  if (a.as_macro() != nullptr) return a.as_macro() == b.as_macro();
  if (a.as_loop() != nullptr) return a.as_loop() == b.as_loop();
  return true;  // None, undefined
}

Result<bool> is_less(Runtime& runtime, const Value& a, const Value& b) {
  RECKON_TRY_VOID(runtime.charge(1));
  std::int64_t i = 0;
  std::int64_t j = 0;
  if (a.int_like(i) && b.int_like(j)) return i < j;
  double x = 0;
  double y = 0;
  if (a.number(x) && b.number(y)) return x < y;
  if (a.as_text() != nullptr && b.as_text() != nullptr) {
    RECKON_TRY_VOID(runtime.charge(a.as_text()->size() / kBytesPerStep / 4));
    return a.as_text()->bytes() < b.as_text()->bytes();  // UTF-8 sorts as its code points do
  }
  const List* s = a.as_list();
  const List* t = b.as_list();
  if (s != nullptr && t != nullptr && s->kind == t->kind &&
      (s->kind == ListKind::kList || s->kind == ListKind::kTuple)) {
    return less_lists(runtime, *s, *t);
  }
  return type_error(fmt::format("cannot order {} and {}", a.type_name(), b.type_name()));
}

Result<bool> contains(Runtime& runtime, const Value& haystack, const Value& needle) {
  if (const MarkedText* text = haystack.as_text()) {
    if (needle.as_text() == nullptr) {
      return type_error(fmt::format("'in <string>' needs a string on the left, not {}", needle.type_name()));
    }
    RECKON_TRY_VOID(runtime.charge(1 + text->size() / kBytesPerStep));
    return find_bytes(text->bytes(), needle.as_text()->bytes(), 0) != std::string::npos;
  }
  if (const Dict* dict = haystack.as_dict()) {
    if (!is_hashable(needle)) return type_error(fmt::format("unhashable type: {}", needle.type_name()));
    RECKON_TRY(const Value* found, find_key(runtime, *dict, needle));
    return found != nullptr;
  }
  if (const List* list = haystack.as_list()) {
    for (const Value& item : list->items) {
      RECKON_TRY(const bool equal, are_equal(runtime, item, needle));
      if (equal) return true;
    }
    return false;
  }
  if (haystack.is_undefined()) return false;
  return type_error(
      fmt::format("a value of type {} contains nothing: 'in' needs a list, dict or string", haystack.type_name()));
}

const Value* find_key(const Dict& dict, std::string_view key) {
  for (const auto& [name, value] : dict.entries) {
    const MarkedText* text = name.as_text();
    if (text != nullptr && text->bytes() == key) return &value;
  }
  return nullptr;
}

Result<const Value*> find_key(Runtime& runtime, const Dict& dict, const Value& key) {
  RECKON_TRY_VOID(runtime.charge(1 + dict.entries.size() / 16));
  if (const MarkedText* text = key.as_text()) return find_key(dict, text->bytes());
  for (const auto& [name, value] : dict.entries) {
    RECKON_TRY(const bool equal, are_equal(runtime, name, key));
    if (equal) return &value;
  }
  return nullptr;
}

bool is_hashable(const Value& value) {
  if (value.as_dict() != nullptr) return false;
  const List* list = value.as_list();
  return list == nullptr || list->is_hashable;
}

}  // namespace reckon::chat::jinja
