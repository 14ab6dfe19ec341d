#include "chat/jinja/operators.h"

#include <fmt/format.h>

#include <cmath>

#include "base/checked.h"
#include "base/result.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%", "**"};

std::unexpected<Error> wrong_types(BinaryOp op, const Value& a, const Value& b) {
  return type_error(fmt::format("unsupported operand types for {}: {} and {}", kSigns[static_cast<std::size_t>(op)],
                                a.type_name(), b.type_name()));
}

std::unexpected<Error> overflow() { return fail(ErrorCode::kLimit, "template limit: a whole number beyond 64 bits"); }
std::unexpected<Error> zero_division() { return type_error("division by zero"); }

Mark mixed(const Value& a, const Value& b) { return std::max(a.mark(), b.mark()); }

Result<Value> whole(std::optional<std::int64_t> number, Mark mark) {
  if (!number) return overflow();
  return Value::integer(*number, mark);
}

// Rounds towards minus infinity, as Python does.
Result<std::int64_t> floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return zero_division();
  if (a == INT64_MIN && b == -1) return overflow();
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

Result<std::int64_t> floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return zero_division();
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

Result<Value> power(std::int64_t base, std::int64_t exponent, Mark mark) {
  if (exponent < 0) {
    if (base == 0) return zero_division();
    return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)), mark);
  }
  if (base == 0 || base == 1) return Value::integer(exponent == 0 ? 1 : base, mark);
  if (base == -1) return Value::integer(exponent % 2 == 0 ? 1 : -1, mark);
  std::optional<std::int64_t> product = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {  // at most 64 rounds before it overflows
    product = checked_mul(*product, base);
    if (!product) return overflow();
  }
  return Value::integer(*product, mark);
}

Result<Value> integers(BinaryOp op, std::int64_t a, std::int64_t b, Mark mark) {
  switch (op) {
    case BinaryOp::kAdd:
      return whole(checked_add(a, b), mark);
    case BinaryOp::kSub: {
      std::int64_t difference = 0;
      if (__builtin_sub_overflow(a, b, &difference)) return overflow();
      return Value::integer(difference, mark);
    }
    case BinaryOp::kMul:
      return whole(checked_mul(a, b), mark);
    case BinaryOp::kDiv:
      if (b == 0) return zero_division();
      return Value::real(static_cast<double>(a) / static_cast<double>(b), mark);
    case BinaryOp::kFloorDiv: {
      RECKON_TRY(const std::int64_t quotient, floor_div(a, b));
      return Value::integer(quotient, mark);
    }
    case BinaryOp::kMod: {
      RECKON_TRY(const std::int64_t rest, floor_mod(a, b));
      return Value::integer(rest, mark);
    }
    case BinaryOp::kPow:
      break;
  }
  return power(a, b, mark);
}

Result<Value> reals(BinaryOp op, double a, double b, Mark mark) {
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kFloorDiv || op == BinaryOp::kMod;
  if (divides && b == 0) return zero_division();
  switch (op) {
    case BinaryOp::kAdd:
      return Value::real(a + b, mark);
    case BinaryOp::kSub:
      return Value::real(a - b, mark);
    case BinaryOp::kMul:
      return Value::real(a * b, mark);
    case BinaryOp::kDiv:
      return Value::real(a / b, mark);
    case BinaryOp::kFloorDiv:
      return Value::real(std::floor(a / b), mark);
    case BinaryOp::kMod: {
      const double rest = std::fmod(a, b);
      return Value::real(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, mark);
    }
    case BinaryOp::kPow:
      break;
  }
  if (a == 0 && b < 0) return zero_division();
  if (a < 0 && std::floor(b) != b) return type_error("a negative number to a broken power is complex");
  return Value::real(std::pow(a, b), mark);
}

Result<Value> add_texts(Runtime& runtime, const Value& a, const Value& b) {
  const MarkedText& s = *a.as_text();
  const MarkedText& t = *b.as_text();
  RECKON_TRY_VOID(runtime.charge_text(s.size() + t.size()));
  const bool safe = a.is_safe() || b.is_safe();
  MarkedText out = safe && !a.is_safe() ? escape_html(s) : s;
  out.append(safe && !b.is_safe() ? escape_html(t) : t);
  return Value::text(std::move(out), safe);
}

Result<Value> add_lists(Runtime& runtime, const List& a, const List& b) {
  RECKON_TRY_VOID(runtime.charge(a.items.size() + b.items.size()));
  std::vector<Value> items = a.items;
  items.insert(items.end(), b.items.begin(), b.items.end());
  return runtime.list(std::move(items), a.kind);
}

// text * n and list * n
Result<Value> repeat(Runtime& runtime, const Value& value, std::int64_t n) {
  const auto times = static_cast<std::size_t>(std::max<std::int64_t>(n, 0));
  if (const MarkedText* text = value.as_text()) {
    if (text->empty() || times == 0) return Value::text(MarkedText(), value.is_safe());
    if (times > runtime.limits().output_bytes) return std::unexpected(runtime.charge_text(times).error());
    RECKON_TRY_VOID(runtime.charge_text(text->size() * times));
    MarkedText out;
    for (std::size_t i = 0; i < times; ++i) out.append(*text);
    return Value::text(std::move(out), value.is_safe());
  }
  const List& list = *value.as_list();
  const std::size_t limit = runtime.limits().list_items;
  if (!list.items.empty() && times > limit / list.items.size()) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: a list of more than {} items", limit));
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < times && !list.items.empty(); ++i) {
    items.insert(items.end(), list.items.begin(), list.items.end());
  }
  return runtime.list(std::move(items), list.kind);
}

bool repeats(const Value& value) {
  if (value.as_text() != nullptr) return true;
  const List* list = value.as_list();
  return list != nullptr && (list->kind == ListKind::kList || list->kind == ListKind::kTuple);
}

}  // namespace

std::unexpected<Error> undefined_error(const Value& value) {
  const auto* undefined = std::get_if<Undefined>(&value.data());
  return type_error(undefined != nullptr && undefined->why != nullptr ? *undefined->why : "an undefined value is used");
}

Result<Value> apply(Runtime& runtime, BinaryOp op, const Value& a, const Value& b) {
  if (a.is_undefined()) return undefined_error(a);
  if (op == BinaryOp::kMod && a.as_text() != nullptr) return format_percent(runtime, *a.as_text(), b);
  if (b.is_undefined()) return undefined_error(b);
  const Mark mark = mixed(a, b);
  std::int64_t i = 0;
  std::int64_t j = 0;
  if (a.int_like(i) && b.int_like(j)) return integers(op, i, j, mark);
  double x = 0;
  double y = 0;
  if (a.number(x) && b.number(y)) return reals(op, x, y, mark);
  if (op == BinaryOp::kAdd) {
    if (a.as_text() != nullptr && b.as_text() != nullptr) return add_texts(runtime, a, b);
    const List* s = a.as_list();
    const List* t = b.as_list();
    if (s != nullptr && t != nullptr && s->kind == t->kind && repeats(a)) return add_lists(runtime, *s, *t);
  }
  if (op == BinaryOp::kMul) {
    if (repeats(a) && b.int_like(j)) return repeat(runtime, a, j);
    if (repeats(b) && a.int_like(i)) return repeat(runtime, b, i);
  }
  return wrong_types(op, a, b);
}

Result<Value> negate(const Value& value) {
  if (value.is_undefined()) return undefined_error(value);
  std::int64_t integer = 0;
  if (value.int_like(integer)) {
    if (integer == INT64_MIN) return overflow();
    return Value::integer(-integer, value.mark());
  }
  if (const double* real = value.as_real()) return Value::real(-*real, value.mark());
  return type_error(fmt::format("unsupported operand type for -: {}", value.type_name()));
}

}  // namespace reckon::chat::jinja
