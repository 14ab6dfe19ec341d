#include "chat/jinja/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "chat/jinja/compare.h"

namespace reckon::chat::jinja {

std::unexpected<Error> type_error(std::string message) { return fail(ErrorCode::kInvalidInput, std::move(message)); }

Runtime::~Runtime() {
  // A namespace may hold values that hold a namespace: take the contents out one by one, so that nothing recurses.
  for (Namespace& space : namespaces_) space.attributes.clear();
}

Result<void> Runtime::charge(std::size_t steps) {
  if (steps > steps_left_) {
    steps_left_ = 0;
    return fail(ErrorCode::kLimit, fmt::format("template limit: more than {} steps", limits_.steps));
  }
  steps_left_ -= steps;
  return {};
}

Result<void> Runtime::charge_text(std::size_t bytes) {
  if (bytes > limits_.output_bytes) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: a text of more than {} bytes", limits_.output_bytes));
  }
  return charge(bytes / kBytesPerStep + kStepsPerText);
}

Result<void> Runtime::charge_characters(std::size_t bytes) { return charge(bytes / kCharactersPerStep + 1); }

Result<Value> Runtime::text(MarkedText text, bool is_safe) {
  if (auto paid = charge_text(text.size()); !paid) return std::unexpected(std::move(paid).error());
  return Value::text(std::move(text), is_safe);
}

Result<Value> Runtime::list(std::vector<Value> items, ListKind kind) {
  if (items.size() > limits_.list_items) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: a list of more than {} items", limits_.list_items));
  }
  if (auto paid = charge(kStepsPerObject + items.size()); !paid) return std::unexpected(std::move(paid).error());
  int depth = 0;
  bool hashable = kind != ListKind::kList;
  for (const Value& item : items) {
    depth = std::max(depth, item.depth());
    hashable = hashable && is_hashable(item);
  }
  if (depth >= limits_.value_depth) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: lists nested deeper than {}", limits_.value_depth));
  }
  auto list = std::make_shared<List>();
  list->kind = kind;
  list->items = std::move(items);
  list->depth = depth + 1;
  list->is_hashable = hashable;
  return Value::of(ListRef(std::move(list)));
}

Result<Value> Runtime::dict(std::vector<std::pair<Value, Value>> entries) {
  if (entries.size() > limits_.list_items) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: a dict of more than {} items", limits_.list_items));
  }
  if (auto paid = charge(kStepsPerObject + 2 * entries.size()); !paid) return std::unexpected(std::move(paid).error());
  int depth = 0;
  for (const auto& [key, value] : entries) depth = std::max({depth, key.depth(), value.depth()});
  if (depth >= limits_.value_depth) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: dicts nested deeper than {}", limits_.value_depth));
  }
  auto dict = std::make_shared<Dict>();
  dict->entries = std::move(entries);
  dict->depth = depth + 1;
  return Value::of(DictRef(std::move(dict)));
}

Result<Value> Runtime::method(std::string_view name, NativeFunction function, Value self) {
  if (auto paid = charge(1); !paid) return std::unexpected(std::move(paid).error());
  if (self.depth() >= limits_.value_depth) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: values nested deeper than {}", limits_.value_depth));
  }
  auto callable = std::make_shared<Callable>(Callable{name, function, std::move(self)});
  return Value::of(CallableRef(std::move(callable)));
}

Result<Namespace*> Runtime::new_namespace() {
  if (auto paid = charge(kStepsPerObject); !paid) return std::unexpected(std::move(paid).error());
  return &namespaces_.emplace_back();
}

Result<BoundArgs> bind_args(const Args& args, std::initializer_list<std::string_view> names, std::size_t n_required,
                            std::string_view function) {
  BoundArgs bound(names.size(), nullptr);
  if (args.positional.size() > names.size()) {
    return type_error(
        fmt::format("{}() takes at most {} arguments, {} given", function, names.size(), args.positional.size()));
  }
  for (std::size_t i = 0; i < args.positional.size(); ++i) bound[i] = &args.positional[i];
  for (const auto& [name, value] : args.named) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return type_error(fmt::format("{}() has no argument named '{}'", function, name));
    const auto i = static_cast<std::size_t>(found - names.begin());
    if (bound[i] != nullptr) return type_error(fmt::format("{}() got two values for '{}'", function, name));
    bound[i] = &value;
  }
  for (std::size_t i = 0; i < n_required; ++i) {
    if (bound[i] == nullptr) return type_error(fmt::format("{}() needs the argument '{}'", function, names.begin()[i]));
  }
  return bound;
}

}  // namespace reckon::chat::jinja
