// The half of the interpreter that evaluates expressions and calls macros.
#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/interpreter.h"
#include "chat/jinja/interpreter_level.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/tests.h"

namespace reckon::chat::jinja {

Result<Value> Interpreter::eval(const Expr& expr, const ScopeRef& scope) {
  const Level level(depth_);
  Result<Value> value;
  if (depth_ > runtime_.limits().eval_depth) {
    value = fail(ErrorCode::kLimit, "template limit: nested too deep");
  } else if (auto paid = runtime_.charge(1); !paid) {
    value = std::unexpected(std::move(paid).error());
  } else {
    value = evaluate(expr, scope);
  }
  if (!value) locate(value.error(), expr.at);
  return value;
}

Result<Value> Interpreter::evaluate(const Expr& expr, const ScopeRef& scope) {
  switch (expr.kind) {
    case ExprKind::kConst:
      return expr.constant;
    case ExprKind::kName:
      return eval_name(expr, scope);
    case ExprKind::kList:
    case ExprKind::kTuple:
      return eval_list(expr, scope);
    case ExprKind::kDict:
      return eval_dict(expr, scope);
    case ExprKind::kAttribute: {
      RECKON_TRY(const Value object, eval(*expr.operands[0], scope));
      return get_attribute(runtime_, object, expr.name);
    }
    case ExprKind::kItem: {
      RECKON_TRY(const Value object, eval(*expr.operands[0], scope));
      RECKON_TRY(const Value key, eval(*expr.operands[1], scope));
      return get_item(runtime_, object, key);
    }
    case ExprKind::kSlice:
      return eval_slice(expr, scope);
    case ExprKind::kCall:
      return eval_call(expr, scope, nullptr);
    case ExprKind::kFilter:
      return eval_filter(expr, scope);
    case ExprKind::kTest:
      return eval_test(expr, scope);
    case ExprKind::kNot: {
      RECKON_TRY(const Value value, eval(*expr.operands[0], scope));
      return Value::boolean(!is_true(value));
    }
    case ExprKind::kNegate: {
      RECKON_TRY(const Value value, eval(*expr.operands[0], scope));
      return negate(value);
    }
    case ExprKind::kPlus: {
      RECKON_TRY(const Value value, eval(*expr.operands[0], scope));
      return apply(runtime_, BinaryOp::kAdd, Value::integer(0), value);
    }
    case ExprKind::kBinary: {
      RECKON_TRY(const Value left, eval(*expr.operands[0], scope));
      RECKON_TRY(const Value right, eval(*expr.operands[1], scope));
      return apply(runtime_, expr.op, left, right);
    }
    case ExprKind::kCompare:
      return eval_compare(expr, scope);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      RECKON_TRY(Value left, eval(*expr.operands[0], scope));
      if (is_true(left) == (expr.kind == ExprKind::kOr)) return left;
      return eval(*expr.operands[1], scope);
    }
    case ExprKind::kConcat:
      return eval_concat(expr, scope);
    case ExprKind::kCondition:
      return eval_condition(expr, scope);
    case ExprKind::kInput:
      return filter_inputs_.empty() ? Value() : filter_inputs_.back();
  }
  return Value();
}

Result<Value> Interpreter::eval_optional(const ExprPtr& expr, const ScopeRef& scope) {
  return expr == nullptr ? Value() : eval(*expr, scope);
}

Result<Value> Interpreter::eval_name(const Expr& expr, const ScopeRef& scope) {
  if (const Value* variable = scope->find(expr.symbol)) return *variable;
  if (const std::optional<Value>& value = globals_[expr.symbol]) return *value;
  return Value::undefined(fmt::format("'{}' is undefined", expr.name.substr(0, 100)));
}

Result<Value> Interpreter::eval_list(const Expr& expr, const ScopeRef& scope) {
  std::vector<Value> items;
  items.reserve(expr.operands.size());
  for (const ExprPtr& operand : expr.operands) {
    RECKON_TRY(Value item, eval(*operand, scope));
    items.push_back(std::move(item));
  }
  return runtime_.list(std::move(items), expr.kind == ExprKind::kTuple ? ListKind::kTuple : ListKind::kList);
}

Result<Value> Interpreter::eval_dict(const Expr& expr, const ScopeRef& scope) {
  std::vector<std::pair<Value, Value>> entries;
  for (std::size_t i = 0; i + 1 < expr.operands.size(); i += 2) {
    RECKON_TRY(Value key, eval(*expr.operands[i], scope));
    RECKON_TRY(Value value, eval(*expr.operands[i + 1], scope));
    if (!is_hashable(key)) return type_error(fmt::format("unhashable type: {}", key.type_name()));
    bool is_new = true;
    for (auto& [name, held] : entries) {
      RECKON_TRY(const bool same, are_equal(runtime_, name, key));
      if (!same) continue;
      held = value;
      is_new = false;
      break;
    }
    if (is_new) entries.emplace_back(std::move(key), std::move(value));
  }
  return runtime_.dict(std::move(entries));
}

Result<Value> Interpreter::eval_slice(const Expr& expr, const ScopeRef& scope) {
  RECKON_TRY(const Value object, eval(*expr.operands[0], scope));
  RECKON_TRY(const Value start, eval_optional(expr.operands[1], scope));
  RECKON_TRY(const Value stop, eval_optional(expr.operands[2], scope));
  RECKON_TRY(const Value step, eval_optional(expr.operands[3], scope));
  return get_slice(runtime_, object, start, stop, step);
}

namespace {

Result<bool> compared(Runtime& runtime, CompareOp op, const Value& left, const Value& right) {
  const bool orders = op == CompareOp::kLt || op == CompareOp::kLe || op == CompareOp::kGt || op == CompareOp::kGe;
  if (orders && left.is_undefined()) return undefined_error(left);
  if (orders && right.is_undefined()) return undefined_error(right);
  switch (op) {
    case CompareOp::kEq:
      return are_equal(runtime, left, right);
    case CompareOp::kNe: {
      RECKON_TRY(const bool equal, are_equal(runtime, left, right));
      return !equal;
    }
    case CompareOp::kLt:
      return is_less(runtime, left, right);
    case CompareOp::kGt:
      return is_less(runtime, right, left);
    case CompareOp::kLe:
    case CompareOp::kGe: {
      RECKON_TRY(const bool less, op == CompareOp::kLe ? is_less(runtime, left, right) : is_less(runtime, right, left));
      if (less) return true;
      return are_equal(runtime, left, right);
    }
    case CompareOp::kIn:
      return contains(runtime, right, left);
    case CompareOp::kNotIn:
      break;
  }
  RECKON_TRY(const bool is_in, contains(runtime, right, left));
  return !is_in;
}

}  // namespace

Result<Value> Interpreter::eval_compare(const Expr& expr, const ScopeRef& scope) {
  RECKON_TRY(Value left, eval(*expr.operands[0], scope));
  for (std::size_t i = 0; i < expr.compares.size(); ++i) {
    RECKON_TRY(Value right, eval(*expr.operands[i + 1], scope));
    RECKON_TRY(const bool holds, compared(runtime_, expr.compares[i], left, right));
    if (!holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Result<Value> Interpreter::eval_concat(const Expr& expr, const ScopeRef& scope) {
  MarkedText out;
  for (const ExprPtr& operand : expr.operands) {
    RECKON_TRY(const Value value, eval(*operand, scope));
    RECKON_TRY(const TextRef text, to_text(runtime_, value));
    RECKON_TRY_VOID(write(*text, out));
  }
  return runtime_.text(std::move(out));
}

Result<Value> Interpreter::eval_condition(const Expr& expr, const ScopeRef& scope) {
  RECKON_TRY(const Value condition, eval(*expr.operands[0], scope));
  if (is_true(condition)) return eval(*expr.operands[1], scope);
  if (expr.operands[2] != nullptr) return eval(*expr.operands[2], scope);
  return Value::undefined("the inline if-expression is false and has no else");
}

Result<Value> Interpreter::eval_filter(const Expr& expr, const ScopeRef& scope) {
  const NativeFunction filter = find_filter(expr.name);
  if (filter == nullptr) return fail(ErrorCode::kUnsupported, fmt::format("there is no filter '{}'", expr.name));
  RECKON_TRY(const Value value, eval(*expr.operands[0], scope));
  RECKON_TRY(const Args args, eval_args(*expr.call, scope));
  return filter(runtime_, value, args);
}

Result<Value> Interpreter::eval_test(const Expr& expr, const ScopeRef& scope) {
  const TestFunction test = find_test(expr.name);
  if (test == nullptr) return fail(ErrorCode::kUnsupported, fmt::format("there is no test '{}'", expr.name));
  RECKON_TRY(const Value value, eval(*expr.operands[0], scope));
  RECKON_TRY(const Args args, eval_args(*expr.call, scope));
  RECKON_TRY(const bool holds, test(runtime_, value, args));
  return Value::boolean(holds);
}

Result<Args> Interpreter::eval_args(const CallArgs& call_args, const ScopeRef& scope) {
  Args args;
  for (const ExprPtr& argument : call_args.positional) {
    RECKON_TRY(Value value, eval(*argument, scope));
    args.positional.push_back(std::move(value));
  }
  for (const auto& [name, argument] : call_args.named) {
    RECKON_TRY(Value value, eval(*argument, scope));
    args.named.emplace_back(name, std::move(value));
  }
  if (call_args.star != nullptr) {
    RECKON_TRY(const Value more, eval(*call_args.star, scope));
    RECKON_TRY(const ListRef items, items_of(runtime_, more));
    RECKON_TRY_VOID(runtime_.charge(items->items.size()));
    args.positional.insert(args.positional.end(), items->items.begin(), items->items.end());
  }
  if (call_args.double_star != nullptr) {
    RECKON_TRY(const Value more, eval(*call_args.double_star, scope));
    if (more.as_dict() == nullptr) return type_error("** needs a mapping");
    RECKON_TRY_VOID(runtime_.charge(2 * more.as_dict()->entries.size()));
    for (const auto& [name, value] : more.as_dict()->entries) {
      if (name.as_text() == nullptr) return type_error("keywords must be strings");
      args.named.emplace_back(name.as_text()->bytes(), value);
    }
  }
  return args;
}

Result<Value> Interpreter::eval_call(const Expr& expr, const ScopeRef& scope, Macro* caller) {
  RECKON_TRY(const Value callee, eval(*expr.operands[0], scope));
  RECKON_TRY(Args args, eval_args(*expr.call, scope));
  if (caller != nullptr) args.named.emplace_back("caller", Value::of(caller));
  return call(callee, std::move(args));
}

Result<Value> Interpreter::call(const Value& callee, Args args) {
  if (const Callable* callable = callee.as_callable()) return callable->function(runtime_, callable->self, args);
  if (const Macro* macro = callee.as_macro()) return call_macro(*macro, std::move(args));
  if (LoopState* loop = callee.as_loop()) return call_loop(*loop, args);
  if (callee.is_undefined()) return undefined_error(callee);
  return type_error(fmt::format("'{}' object is not callable", callee.type_name()));
}

Result<Value> Interpreter::call_loop(LoopState& loop, const Args& args) {
  if (loop.recursive == nullptr) return type_error("a loop can be called only where it is marked 'recursive'");
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"iterable"}, 1, "loop"));
  const Level level(macro_depth_);
  if (macro_depth_ > runtime_.limits().macro_depth) {
    return fail(ErrorCode::kLimit,
                fmt::format("template limit: calls nested deeper than {}", runtime_.limits().macro_depth));
  }
  MarkedText out;
  RECKON_TRY_VOID(for_loop(*loop.recursive, loop.scope, out, *bound[0], loop.depth0 + 1));
  return runtime_.text(std::move(out));
}

Result<Value> Interpreter::call_macro(const Macro& macro, Args args) {
  const Level level(macro_depth_);
  if (macro_depth_ > runtime_.limits().macro_depth) {
    return fail(ErrorCode::kLimit,
                fmt::format("template limit: macros nested deeper than {}", runtime_.limits().macro_depth));
  }
  RECKON_TRY(const ScopeRef scope, child_of(macro.scope));
  RECKON_TRY_VOID(bind_parameters(macro, std::move(args), scope));
  MarkedText out;
  auto done = block(macro.node->body, scope, out);
  if (!done) return std::unexpected(std::move(done).error());
  return runtime_.text(std::move(out));
}

Result<void> Interpreter::bind_parameters(const Macro& macro, Args args, const ScopeRef& scope) {
  const auto& parameters = macro.node->parameters;
  const auto take_named = [&](std::string_view name) -> std::optional<Value> {
    const auto found =
        std::find_if(args.named.begin(), args.named.end(), [&](const auto& n) { return n.first == name; });
    if (found == args.named.end()) return std::nullopt;
    Value value = std::move(found->second);
    args.named.erase(found);
    return value;
  };
  bool has_caller = false;
  std::vector<std::optional<Value>> given(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    given[i] = i < args.positional.size() ? std::optional<Value>(args.positional[i]) : take_named(parameters[i].name);
    has_caller = has_caller || parameters[i].name == "caller";
  }
  const auto symbol_of = [&](std::string_view name) {
    const auto found = std::find(template_.symbols.begin(), template_.symbols.end(), name);
    return static_cast<Symbol>(found - template_.symbols.begin());
  };
  if (macro.node->uses_caller && !has_caller) {
    std::optional<Value> caller = take_named("caller");
    scope->set(symbol_of("caller"), caller ? *caller : Value::undefined("No caller defined"));
  }
  if (macro.node->uses_kwargs) {
    std::vector<std::pair<Value, Value>> entries;
    for (auto& [name, value] : args.named) entries.emplace_back(Value::literal(name), std::move(value));
    RECKON_TRY(Value kwargs, runtime_.dict(std::move(entries)));
    scope->set(symbol_of("kwargs"), std::move(kwargs));
  } else if (!args.named.empty()) {
    return type_error(
        fmt::format("macro '{}' takes no keyword argument '{}'", macro.name, args.named[0].first.substr(0, 100)));
  }
  if (macro.node->uses_varargs) {
    const auto n = static_cast<std::ptrdiff_t>(std::min(parameters.size(), args.positional.size()));
    RECKON_TRY(Value varargs, runtime_.list({args.positional.begin() + n, args.positional.end()}, ListKind::kTuple));
    scope->set(symbol_of("varargs"), std::move(varargs));
  } else if (args.positional.size() > parameters.size()) {
    return type_error(fmt::format("macro '{}' takes not more than {} arguments", macro.name, parameters.size()));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Value value =
        given[i] ? *given[i] : Value::undefined(fmt::format("parameter '{}' was not provided", parameters[i].name));
    if (!given[i] && parameters[i].default_value != nullptr) {
      RECKON_TRY(value, eval(*parameters[i].default_value, scope));
    }
    scope->set(parameters[i].symbol, std::move(value));
  }
  return {};
}

}  // namespace reckon::chat::jinja
