#include "chat/jinja/value.h"

namespace reckon::chat::jinja {
namespace {

template <class T>
const T* pointee(const Value::Data& data) {
  const auto* ref = std::get_if<std::shared_ptr<const T>>(&data);
  return ref == nullptr ? nullptr : ref->get();
}

template <class T>
T* raw(const Value::Data& data) {
  const auto* pointer = std::get_if<T*>(&data);
  return pointer == nullptr ? nullptr : *pointer;
}

}  // namespace

Value Value::undefined(std::string why) {
  return Value(Data(Undefined{std::make_shared<const std::string>(std::move(why))}), Mark::kTemplate);
}

Value Value::text(MarkedText text, bool is_safe) {
  return Value::text(std::make_shared<const MarkedText>(std::move(text)), is_safe);
}

Value Value::text(TextRef text, bool is_safe) {
  Value value(Data(std::move(text)), Mark::kTemplate);
  value.is_safe_ = is_safe;
  return value;
}

const MarkedText* Value::as_text() const { return pointee<MarkedText>(data_); }
TextRef Value::text_ref() const {
  const auto* ref = std::get_if<TextRef>(&data_);
  return ref == nullptr ? nullptr : *ref;
}
const List* Value::as_list() const { return pointee<List>(data_); }
const Dict* Value::as_dict() const { return pointee<Dict>(data_); }
const Callable* Value::as_callable() const { return pointee<Callable>(data_); }
Namespace* Value::as_namespace() const { return raw<Namespace>(data_); }
Macro* Value::as_macro() const { return raw<Macro>(data_); }
LoopState* Value::as_loop() const { return raw<LoopState>(data_); }

bool Value::int_like(std::int64_t& out) const {
  if (const auto* integer = as_int()) {
    out = *integer;
    return true;
  }
  if (const auto* flag = as_bool()) {
    out = *flag ? 1 : 0;
    return true;
  }
  return false;
}

bool Value::number(double& out) const {
  if (const auto* real = as_real()) {
    out = *real;
    return true;
  }
  std::int64_t integer = 0;
  if (!int_like(integer)) return false;
  out = static_cast<double>(integer);
  return true;
}

int Value::depth() const {
  if (const List* list = as_list()) return list->depth;
  if (const Dict* dict = as_dict()) return dict->depth;
  if (const Callable* callable = as_callable()) return callable->self.depth() + 1;
  return 0;
}

std::string_view Value::type_name() const {
  static constexpr std::string_view kListNames[] = {"list",        "tuple",      "generator", "dict_keys",
                                                    "dict_values", "dict_items", "range"};
  static constexpr std::string_view kNames[] = {"Undefined", "NoneType", "bool",   "int",       "float", "str",
                                                "list",      "dict",     "method", "Namespace", "Macro", "LoopContext"};
  if (const List* list = as_list()) return kListNames[static_cast<std::size_t>(list->kind)];
  return kNames[data_.index()];
}

}  // namespace reckon::chat::jinja
