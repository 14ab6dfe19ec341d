#include "chat/jinja/tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

using Predicate = bool (*)(const Value&);

template <Predicate predicate>
Result<bool> plain(Runtime&, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "test"));
  return predicate(value);
}

bool defined(const Value& v) { return !v.is_undefined(); }
bool undefined(const Value& v) { return v.is_undefined(); }
bool none(const Value& v) { return v.is_none(); }
bool boolean(const Value& v) { return v.as_bool() != nullptr; }
bool is_exactly_true(const Value& v) { return v.as_bool() != nullptr && *v.as_bool(); }
bool is_exactly_false(const Value& v) { return v.as_bool() != nullptr && !*v.as_bool(); }
bool integer(const Value& v) { return v.as_int() != nullptr; }
bool real(const Value& v) { return v.as_real() != nullptr; }
bool number(const Value& v) { return boolean(v) || integer(v) || real(v); }
bool string(const Value& v) { return v.as_text() != nullptr; }
bool mapping(const Value& v) { return v.as_dict() != nullptr; }
bool escaped(const Value& v) { return v.is_safe(); }
bool callable(const Value& v) {
  return v.as_callable() != nullptr || v.as_macro() != nullptr || v.as_loop() != nullptr;
}

bool sequence(const Value& v) {
  if (const List* list = v.as_list()) {
    return list->kind == ListKind::kList || list->kind == ListKind::kTuple || list->kind == ListKind::kRange;
  }
  return string(v) || mapping(v) || undefined(v);
}

bool iterable(const Value& v) {
  return string(v) || mapping(v) || undefined(v) || v.as_list() != nullptr || v.as_loop() != nullptr;
}

Result<std::int64_t> remainder(Runtime& runtime, const Value& value, const Value& by) {
  RECKON_TRY(const Value rest, apply(runtime, BinaryOp::kMod, value, by));
  double number_value = 1;
  rest.number(number_value);
  return number_value == 0 ? 0 : number_value == 1 ? 1 : 2;
}

Result<bool> odd(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const std::int64_t rest, remainder(runtime, value, Value::integer(2)));
  return rest == 1;
}

Result<bool> even(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const std::int64_t rest, remainder(runtime, value, Value::integer(2)));
  return rest == 0;
}

Result<bool> divisible_by(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"num"}, 1, "divisibleby"));
  RECKON_TRY(const std::int64_t rest, remainder(runtime, value, *bound[0]));
  return rest == 0;
}

Result<bool> equal(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"other"}, 1, "eq"));
  return are_equal(runtime, value, *bound[0]);
}

Result<bool> unequal(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const bool same, equal(runtime, value, args));
  return !same;
}

Result<bool> less(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"other"}, 1, "lt"));
  return is_less(runtime, value, *bound[0]);
}

Result<bool> greater(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"other"}, 1, "gt"));
  return is_less(runtime, *bound[0], value);
}

Result<bool> at_most(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const bool is_greater, greater(runtime, value, args));
  return !is_greater;
}

Result<bool> at_least(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const bool is_smaller, less(runtime, value, args));
  return !is_smaller;
}

Result<bool> in(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"seq"}, 1, "in"));
  return contains(runtime, *bound[0], value);
}

Result<bool> same_as(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"other"}, 1, "sameas"));
  const Value& other = *bound[0];
  if (value.data().index() != other.data().index()) return false;
  if (value.as_list() != nullptr) return value.as_list() == other.as_list();
  if (value.as_dict() != nullptr) return value.as_dict() == other.as_dict();
  return are_equal(runtime, value, other);
}

Result<bool> has_case(Runtime& runtime, const Value& value, bool (*wanted)(char32_t), bool (*other)(char32_t)) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  bool some = false;
  bool fits = true;
  each_character(*text, [&](Character c, std::string_view, std::size_t) {
    some = some || wanted(c.code);
    fits = fits && !other(c.code);
  });
  return some && fits;
}

Result<bool> lower_case(Runtime& runtime, const Value& value, const Args&) {
  return has_case(runtime, value, is_lower, is_upper);
}
Result<bool> upper_case(Runtime& runtime, const Value& value, const Args&) {
  return has_case(runtime, value, is_upper, is_lower);
}

Result<bool> filter_exists(Runtime&, const Value& value, const Args&) {
  return value.as_text() != nullptr && find_filter(value.as_text()->bytes()) != nullptr;
}
Result<bool> test_exists(Runtime&, const Value& value, const Args&) {
  return value.as_text() != nullptr && find_test(value.as_text()->bytes()) != nullptr;
}

struct TestEntry {
  std::string_view name;
  TestFunction function;
};

constexpr TestEntry kTests[] = {{"defined", plain<defined>},
                                {"undefined", plain<undefined>},
                                {"none", plain<none>},
                                {"boolean", plain<boolean>},
                                {"true", plain<is_exactly_true>},
                                {"false", plain<is_exactly_false>},
                                {"integer", plain<integer>},
                                {"float", plain<real>},
                                {"number", plain<number>},
                                {"string", plain<string>},
                                {"mapping", plain<mapping>},
                                {"sequence", plain<sequence>},
                                {"iterable", plain<iterable>},
                                {"callable", plain<callable>},
                                {"escaped", plain<escaped>},
                                {"odd", odd},
                                {"even", even},
                                {"divisibleby", divisible_by},
                                {"==", equal},
                                {"eq", equal},
                                {"equalto", equal},
                                {"!=", unequal},
                                {"ne", unequal},
                                {"<", less},
                                {"lt", less},
                                {"lessthan", less},
                                {">", greater},
                                {"gt", greater},
                                {"greaterthan", greater},
                                {"<=", at_most},
                                {"le", at_most},
                                {">=", at_least},
                                {"ge", at_least},
                                {"in", in},
                                {"sameas", same_as},
                                {"lower", lower_case},
                                {"upper", upper_case},
                                {"filter", filter_exists},
                                {"test", test_exists}};

}  // namespace

TestFunction find_test(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTests), std::end(kTests), [&](const TestEntry& t) { return t.name == name; });
  return found == std::end(kTests) ? nullptr : found->function;
}

}  // namespace reckon::chat::jinja
