#pragma once
// A value of the template language: Python's data as Jinja sees it. Cheap to copy; what it points to is immutable
// and shared, except for namespaces. Thread: one render.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chat/jinja/limits.h"
#include "chat/jinja/marked_text.h"
#include "reckon/result.h"

namespace reckon::chat::jinja {

class Value;
class Runtime;
struct Args;
struct List;
struct Dict;
struct Callable;
struct Namespace;  // owned by the Runtime, as are the next two: they may refer to each other in a circle
struct Macro;
struct LoopState;

using TextRef = std::shared_ptr<const MarkedText>;
using ListRef = std::shared_ptr<const List>;
using DictRef = std::shared_ptr<const Dict>;
using CallableRef = std::shared_ptr<const Callable>;

struct None {};
struct Undefined {
  std::shared_ptr<const std::string> why;  // what an attempt to use it says; may be null
};

// What Python calls the type. A generator can be walked once.
enum class ListKind : std::uint8_t { kList, kTuple, kGenerator, kKeys, kValues, kItems, kRange };

class Value {
 public:
  using Data = std::variant<Undefined, None, bool, std::int64_t, double, TextRef, ListRef, DictRef, CallableRef,
                            Namespace*, Macro*, LoopState*>;

  Value() = default;  // undefined
  static Value undefined(std::string why);
  static Value none() { return Value(Data(None{}), Mark::kTemplate); }
  static Value boolean(bool b, Mark mark = Mark::kTemplate) { return Value(Data(b), mark); }
  static Value integer(std::int64_t i, Mark mark = Mark::kTemplate) { return Value(Data(i), mark); }
  static Value real(double d, Mark mark = Mark::kTemplate) { return Value(Data(d), mark); }
  static Value text(MarkedText text, bool is_safe = false);
  static Value text(TextRef text, bool is_safe = false);
  static Value literal(std::string_view bytes) { return text(MarkedText(std::string(bytes), Mark::kTemplate)); }
  static Value of(Data data) { return Value(std::move(data), Mark::kTemplate); }

  [[nodiscard]] const Data& data() const { return data_; }
  [[nodiscard]] bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(data_); }
  [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&data_); }
  [[nodiscard]] const double* as_real() const { return std::get_if<double>(&data_); }
  [[nodiscard]] const MarkedText* as_text() const;
  [[nodiscard]] TextRef text_ref() const;  // null for other types
  [[nodiscard]] const List* as_list() const;
  [[nodiscard]] const Dict* as_dict() const;
  [[nodiscard]] const Callable* as_callable() const;
  [[nodiscard]] Namespace* as_namespace() const;
  [[nodiscard]] Macro* as_macro() const;
  [[nodiscard]] LoopState* as_loop() const;

  // Whose a number or truth value is; a text has its own marks.
  [[nodiscard]] Mark mark() const { return mark_; }
  // Went through the `safe` filter: `+` then escapes the other side, as markupsafe does.
  [[nodiscard]] bool is_safe() const { return is_safe_; }
  // An integer in Python's sense: true and false are 1 and 0.
  bool int_like(std::int64_t& out) const;
  // Any number.
  bool number(double& out) const;
  [[nodiscard]] int depth() const;
  [[nodiscard]] std::string_view type_name() const;  // Python's: str, int, list ...

 private:
  Value(Data data, Mark mark) : data_(std::move(data)), mark_(mark) {}

  Data data_;
  Mark mark_ = Mark::kTemplate;
  bool is_safe_ = false;
};

struct List {
  ListKind kind = ListKind::kList;
  std::vector<Value> items;
  int depth = 1;
  bool is_hashable = false;     // a tuple of hashable items
  mutable bool walked = false;  // a generator gives its items once
};

struct Dict {
  std::vector<std::pair<Value, Value>> entries;  // in order of insertion
  int depth = 1;
};

using NativeFunction = Result<Value> (*)(Runtime&, const Value& self, const Args&);

// A built-in function, or a method with the value it belongs to.
struct Callable {
  std::string_view name;
  NativeFunction function = nullptr;
  Value self;
};

struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;
};

struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

}  // namespace reckon::chat::jinja
