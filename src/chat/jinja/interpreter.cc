#include "chat/jinja/interpreter.h"

#include <fmt/format.h>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/builtins.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/interpreter_level.h"
#include "chat/jinja/print.h"

namespace reckon::chat::jinja {
namespace {

constexpr std::size_t kStepsPerLoop = 32;  // its state lives until the render ends

}  // namespace

Interpreter::Interpreter(const Template& parsed, const Dict& context, const Limits& limits,
                         std::optional<std::int64_t> now)
    : template_(parsed), context_(context), runtime_(limits, now), root_(std::make_shared<Scope>()) {
  globals_.resize(template_.symbols.size());
  for (std::size_t i = 0; i < globals_.size(); ++i) {
    const std::string& name = template_.symbols[i];
    if (const Value* value = find_key(context_, name)) {
      globals_[i] = *value;
    } else if (const NativeFunction function = find_builtin(name)) {
      globals_[i] = Value::of(std::make_shared<const Callable>(Callable{"function", function, Value()}));
    }
  }
}

Interpreter::~Interpreter() {
  // Scopes hold values that name macros and loops, and those hold scopes: take the scopes out first.
  for (LoopState& loop : loops_) loop.scope.reset();
  for (Macro& macro : macros_) macro.scope.reset();
}

Result<MarkedText> Interpreter::run() {
  MarkedText out;
  auto done = block(template_.body, root_, out);
  if (!done) return std::unexpected(std::move(done).error());
  return out;
}

Error& Interpreter::locate(Error& error, Position at) {
  if (!is_located_) error.message = located(at, error.message);
  is_located_ = true;
  return error;
}

Result<Interpreter::ScopeRef> Interpreter::child_of(const ScopeRef& scope) {
  RECKON_TRY_VOID(runtime_.charge(kStepsPerObject));
  auto child = std::make_shared<Scope>();
  child->parent = scope;
  return child;
}

Result<Interpreter::Flow> Interpreter::block(const Block& statements, const ScopeRef& scope, MarkedText& out) {
  for (const StmtPtr& stmt : statements) {
    const Level level(depth_);
    Result<Flow> flow = depth_ > runtime_.limits().eval_depth
                            ? Result<Flow>(fail(ErrorCode::kLimit, "template limit: nested too deep"))
                            : statement(*stmt, scope, out);
    if (!flow) locate(flow.error(), stmt->at);
    if (!flow || *flow != Flow::kNormal) return flow;
  }
  return Flow::kNormal;
}

Result<Interpreter::Flow> Interpreter::statement(const Stmt& stmt, const ScopeRef& scope, MarkedText& out) {
  RECKON_TRY_VOID(runtime_.charge(1));
  switch (stmt.kind) {
    case StmtKind::kText:
      RECKON_TRY_VOID(write(*stmt.text, out));
      break;
    case StmtKind::kPrint: {
      RECKON_TRY(const Value value, eval(*stmt.expr, scope));
      RECKON_TRY_VOID(print(value, out));
      break;
    }
    case StmtKind::kIf:
      return if_statement(stmt, scope, out);
    case StmtKind::kFor: {
      RECKON_TRY(const Value items, eval(*stmt.expr, scope));
      RECKON_TRY_VOID(for_loop(stmt, scope, out, items, 0));
      break;
    }
    case StmtKind::kSet: {
      RECKON_TRY(const Value value, eval(*stmt.expr, scope));
      RECKON_TRY_VOID(assign(stmt.targets[0], scope, value));
      break;
    }
    case StmtKind::kSetBlock:
      RECKON_TRY_VOID(set_block(stmt, scope));
      break;
    case StmtKind::kMacro: {
      RECKON_TRY(Macro * macro, define_macro(*stmt.macro, scope));
      scope->set(stmt.symbol, Value::of(macro));
      break;
    }
    case StmtKind::kCallBlock:
      RECKON_TRY_VOID(call_block(stmt, scope, out));
      break;
    case StmtKind::kFilterBlock: {
      RECKON_TRY(const Value value, captured(stmt.body, scope, stmt.expr.get()));
      RECKON_TRY_VOID(print(value, out));
      break;
    }
    case StmtKind::kWith:
      RECKON_TRY_VOID(with_block(stmt, scope, out));
      break;
    case StmtKind::kScope:
    case StmtKind::kGeneration: {
      RECKON_TRY(const ScopeRef inner, child_of(scope));
      return block(stmt.body, inner, out);
    }
    case StmtKind::kBreak:
      return Flow::kBreak;
    case StmtKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNormal;
}

Result<Interpreter::Flow> Interpreter::if_statement(const Stmt& stmt, const ScopeRef& scope, MarkedText& out) {
  for (const auto& [test, body] : stmt.branches) {
    RECKON_TRY(const Value holds, eval(*test, scope));
    if (is_true(holds)) return block(body, scope, out);
  }
  return block(stmt.otherwise, scope, out);
}

Result<LoopState*> Interpreter::new_loop(const Stmt& stmt, const ScopeRef& scope, const Value& items,
                                         std::int64_t depth0) {
  RECKON_TRY_VOID(runtime_.charge(kStepsPerLoop));
  RECKON_TRY(ListRef list, items_of(runtime_, items));
  LoopState& loop = loops_.emplace_back();
  loop.items = std::move(list);
  loop.depth0 = depth0;
  loop.scope = scope;
  loop.recursive = stmt.is_recursive ? &stmt : nullptr;
  if (stmt.condition != nullptr) {
    loop.accepts = [this, &stmt, scope](const Value& item) -> Result<bool> {
      RECKON_TRY(const ScopeRef inner, child_of(scope));
      RECKON_TRY_VOID(assign(stmt.targets[0], inner, item));
      RECKON_TRY(const Value holds, eval(*stmt.condition, inner));
      return is_true(holds);
    };
  }
  return &loop;
}

Result<void> Interpreter::for_loop(const Stmt& stmt, const ScopeRef& scope, MarkedText& out, const Value& items,
                                   std::int64_t depth0) {
  RECKON_TRY(LoopState * loop, new_loop(stmt, scope, items, depth0));
  while (true) {
    RECKON_TRY(const bool more, loop->advance());
    if (!more) break;
    RECKON_TRY_VOID(runtime_.charge(1));
    RECKON_TRY(const ScopeRef inner, child_of(scope));
    inner->set(stmt.symbol, Value::of(loop));
    RECKON_TRY_VOID(assign(stmt.targets[0], inner, *loop->current));
    RECKON_TRY(const Flow flow, block(stmt.body, inner, out));
    if (flow == Flow::kBreak) break;
  }
  if (loop->index0 >= 0) return {};
  RECKON_TRY(const ScopeRef inner, child_of(scope));
  auto done = block(stmt.otherwise, inner, out);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Result<Value> Interpreter::captured(const Block& statements, const ScopeRef& scope, const Expr* filters) {
  RECKON_TRY(const ScopeRef inner, child_of(scope));
  MarkedText text;
  auto done = block(statements, inner, text);
  if (!done) return std::unexpected(std::move(done).error());
  RECKON_TRY(Value value, runtime_.text(std::move(text)));
  if (filters == nullptr) return value;
  filter_inputs_.push_back(std::move(value));
  Result<Value> filtered = eval(*filters, scope);
  filter_inputs_.pop_back();
  return filtered;
}

Result<void> Interpreter::set_block(const Stmt& stmt, const ScopeRef& scope) {
  RECKON_TRY(const Value value, captured(stmt.body, scope, stmt.expr.get()));
  return assign(stmt.targets[0], scope, value);
}

Result<void> Interpreter::with_block(const Stmt& stmt, const ScopeRef& scope, MarkedText& out) {
  RECKON_TRY(const ScopeRef inner, child_of(scope));
  for (std::size_t i = 0; i < stmt.targets.size(); ++i) {
    RECKON_TRY(const Value value, eval(*stmt.values[i], scope));
    RECKON_TRY_VOID(assign(stmt.targets[i], inner, value));
  }
  auto done = block(stmt.body, inner, out);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Result<Macro*> Interpreter::define_macro(const MacroNode& node, const ScopeRef& scope) {
  RECKON_TRY_VOID(runtime_.charge(kStepsPerObject));
  return &macros_.emplace_back(Macro{node.name, &node, scope});
}

Result<void> Interpreter::call_block(const Stmt& stmt, const ScopeRef& scope, MarkedText& out) {
  RECKON_TRY(Macro * caller, define_macro(*stmt.macro, scope));
  RECKON_TRY(const Value value, eval_call(*stmt.expr, scope, caller));
  return print(value, out);
}

Result<void> Interpreter::assign(const Target& target, const ScopeRef& scope, const Value& value) {
  if (target.kind == Target::Kind::kName) {
    scope->set(target.symbol, value);
    return {};
  }
  if (target.kind == Target::Kind::kAttribute) return assign_attribute(target, scope, value);
  RECKON_TRY(const ListRef items, items_of(runtime_, value));
  if (items->items.size() != target.parts.size()) {
    return type_error(fmt::format("cannot unpack {} values into {} names", items->items.size(), target.parts.size()));
  }
  for (std::size_t i = 0; i < target.parts.size(); ++i) {
    RECKON_TRY_VOID(assign(target.parts[i], scope, items->items[i]));
  }
  return {};
}

Result<void> Interpreter::assign_attribute(const Target& target, const ScopeRef& scope, const Value& value) {
  const Value* variable = scope->find(target.symbol);
  if (variable == nullptr && globals_[target.symbol]) variable = &*globals_[target.symbol];
  Namespace* space = variable == nullptr ? nullptr : variable->as_namespace();
  if (space == nullptr) {
    return type_error(
        fmt::format("cannot assign to an attribute of '{}': it is no namespace", template_.symbols[target.symbol]));
  }
  RECKON_TRY_VOID(runtime_.charge(1 + space->attributes.size() / 8));
  for (auto& [name, held] : space->attributes) {
    if (name != target.attribute) continue;
    held = value;
    return {};
  }
  space->attributes.emplace_back(target.attribute, value);
  return {};
}

Result<void> Interpreter::print(const Value& value, MarkedText& out) {
  RECKON_TRY(const TextRef text, to_text(runtime_, value));
  return write(*text, out);
}

Result<void> Interpreter::write(const MarkedText& text, MarkedText& out) {
  const std::size_t limit = runtime_.limits().output_bytes;
  if (out.size() + text.size() > limit) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: more than {} bytes of output", limit));
  }
  RECKON_TRY_VOID(runtime_.charge(text.size() / kBytesPerStep));
  out.append(text);
  return {};
}

}  // namespace reckon::chat::jinja
