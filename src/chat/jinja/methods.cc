#include "chat/jinja/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/operators.h"

namespace reckon::chat::jinja {
namespace {

Result<Value> dict_view(Runtime& runtime, const Value& self, ListKind kind) {
  std::vector<Value> items;
  const Dict& dict = *self.as_dict();
  RECKON_TRY_VOID(runtime.charge(dict.entries.size()));
  items.reserve(dict.entries.size());
  for (const auto& [key, value] : dict.entries) {
    if (kind == ListKind::kItems) {
      RECKON_TRY(Value pair, runtime.list({key, value}, ListKind::kTuple));
      items.push_back(std::move(pair));
    } else {
      items.push_back(kind == ListKind::kKeys ? key : value);
    }
  }
  return runtime.list(std::move(items), kind);
}

Result<Value> dict_items(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "items"));
  return dict_view(runtime, self, ListKind::kItems);
}

Result<Value> dict_keys(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "keys"));
  return dict_view(runtime, self, ListKind::kKeys);
}

Result<Value> dict_values(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "values"));
  return dict_view(runtime, self, ListKind::kValues);
}

Result<Value> dict_get(Runtime& runtime, const Value& self, const Args& args) {
  if (!args.named.empty()) return type_error("get() takes no keyword arguments");
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"key", "default"}, 1, "get"));
  if (!is_hashable(*bound[0])) return type_error(fmt::format("unhashable type: {}", bound[0]->type_name()));
  RECKON_TRY(const Value* found, find_key(runtime, *self.as_dict(), *bound[0]));
  if (found != nullptr) return *found;
  return bound[1] == nullptr ? Value::none() : *bound[1];
}

Result<Value> same(Runtime&, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "copy"));
  return self;
}

Result<Value> list_count(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"value"}, 1, "count"));
  std::int64_t n = 0;
  for (const Value& item : self.as_list()->items) {
    RECKON_TRY(const bool equal, are_equal(runtime, item, *bound[0]));
    n += equal ? 1 : 0;
  }
  return Value::integer(n);
}

Result<Value> list_index(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"value"}, 1, "index"));
  const std::vector<Value>& items = self.as_list()->items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    RECKON_TRY(const bool equal, are_equal(runtime, items[i], *bound[0]));
    if (equal) return Value::integer(static_cast<std::int64_t>(i));
  }
  return type_error("index(): the value is not in the list");
}

Result<Value> is_integer(Runtime&, const Value& self, const Args&) {
  const double* real = self.as_real();
  return Value::boolean(real == nullptr || std::floor(*real) == *real);
}

Result<Value> not_offered(Runtime&, const Value&, const Args&) {
  return fail(ErrorCode::kUnsupported, "this method is not supported in chat templates");
}

struct TypeMethods {
  std::initializer_list<MethodEntry> offered;
  std::initializer_list<std::string_view> mutating;  // undefined in the sandbox
};

const TypeMethods kDictMethods = {{{"items", dict_items},
                                   {"keys", dict_keys},
                                   {"values", dict_values},
                                   {"get", dict_get},
                                   {"copy", same},
                                   {"fromkeys", not_offered}},
                                  {"clear", "pop", "popitem", "setdefault", "update"}};
const TypeMethods kListMethods = {{{"count", list_count}, {"index", list_index}, {"copy", same}},
                                  {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}};
const TypeMethods kTupleMethods = {{{"count", list_count}, {"index", list_index}}, {}};
const TypeMethods kFloatMethods = {{{"is_integer", is_integer},
                                    {"as_integer_ratio", not_offered},
                                    {"hex", not_offered},
                                    {"fromhex", not_offered},
                                    {"conjugate", not_offered}},
                                   {}};
const TypeMethods kIntMethods = {{{"as_integer_ratio", not_offered},
                                  {"bit_count", not_offered},
                                  {"bit_length", not_offered},
                                  {"conjugate", not_offered},
                                  {"from_bytes", not_offered},
                                  {"to_bytes", not_offered}},
                                 {}};

const TypeMethods* methods_of(const Value& value) {
  if (value.as_dict() != nullptr) return &kDictMethods;
  if (value.as_real() != nullptr) return &kFloatMethods;
  if (value.as_int() != nullptr || value.as_bool() != nullptr) return &kIntMethods;
  const List* list = value.as_list();
  if (list == nullptr) return nullptr;
  if (list->kind == ListKind::kList) return &kListMethods;
  return list->kind == ListKind::kTuple || list->kind == ListKind::kRange ? &kTupleMethods : nullptr;
}

}  // namespace

Result<std::optional<Value>> find_method(Runtime& runtime, const Value& value, std::string_view name) {
  if (value.as_text() != nullptr) {
    const NativeFunction function = find_text_method(name);
    if (function == nullptr) return std::nullopt;
    return runtime.method("str method", function, value);
  }
  const TypeMethods* methods = methods_of(value);
  if (methods == nullptr) return std::nullopt;
  for (const MethodEntry& method : methods->offered) {
    if (method.name == name) return runtime.method(method.name, method.function, value);
  }
  if (std::find(methods->mutating.begin(), methods->mutating.end(), name) != methods->mutating.end()) {
    return Value::undefined(fmt::format("'{}' of {} changes a value: templates may not", name, value.type_name()));
  }
  return std::nullopt;
}

}  // namespace reckon::chat::jinja
