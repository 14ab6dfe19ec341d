#pragma once
// Runs a template: walks its tree and writes text. One object for one render; not thread-safe.

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "chat/jinja/ast.h"
#include "chat/jinja/macro.h"
#include "chat/jinja/runtime.h"

namespace reckon::chat::jinja {

class Interpreter {
 public:
  // `parsed` must outlive the interpreter. `context` holds the variables by name.
  Interpreter(const Template& parsed, const Dict& context, const Limits& limits, std::optional<std::int64_t> now);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // kInvalidInput and kUnsupported name line and column; kLimit.
  Result<MarkedText> run();

 private:
  using ScopeRef = std::shared_ptr<Scope>;
  enum class Flow : std::uint8_t { kNormal, kBreak, kContinue };
  class Level;  // counts what is on the stack

  // Statements (interpreter.cc)
  Result<Flow> block(const Block& statements, const ScopeRef& scope, MarkedText& out);
  Result<Flow> statement(const Stmt& stmt, const ScopeRef& scope, MarkedText& out);
  Result<Flow> if_statement(const Stmt& stmt, const ScopeRef& scope, MarkedText& out);
  Result<void> for_loop(const Stmt& stmt, const ScopeRef& scope, MarkedText& out, const Value& items,
                        std::int64_t depth0);
  Result<LoopState*> new_loop(const Stmt& stmt, const ScopeRef& scope, const Value& items, std::int64_t depth0);
  Result<void> set_block(const Stmt& stmt, const ScopeRef& scope);
  Result<void> with_block(const Stmt& stmt, const ScopeRef& scope, MarkedText& out);
  Result<void> call_block(const Stmt& stmt, const ScopeRef& scope, MarkedText& out);
  Result<Macro*> define_macro(const MacroNode& node, const ScopeRef& scope);
  Result<void> assign(const Target& target, const ScopeRef& scope, const Value& value);
  Result<void> assign_attribute(const Target& target, const ScopeRef& scope, const Value& value);
  Result<void> print(const Value& value, MarkedText& out);
  Result<void> write(const MarkedText& text, MarkedText& out);
  // The text of a block that has variables of its own, through filters where there are any.
  Result<Value> captured(const Block& statements, const ScopeRef& scope, const Expr* filters);
  Result<ScopeRef> child_of(const ScopeRef& scope);

  // Expressions (evaluator.cc)
  Result<Value> eval(const Expr& expr, const ScopeRef& scope);
  Result<Value> evaluate(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_optional(const ExprPtr& expr, const ScopeRef& scope);
  Result<Value> eval_name(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_list(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_dict(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_slice(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_compare(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_concat(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_condition(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_filter(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_test(const Expr& expr, const ScopeRef& scope);
  Result<Value> eval_call(const Expr& expr, const ScopeRef& scope, Macro* caller);
  Result<Args> eval_args(const CallArgs& call, const ScopeRef& scope);

  // Calls (evaluator.cc)
  Result<Value> call(const Value& callee, Args args);
  Result<Value> call_macro(const Macro& macro, Args args);
  Result<void> bind_parameters(const Macro& macro, Args args, const ScopeRef& scope);
  Result<Value> call_loop(LoopState& loop, const Args& args);

  // Puts the place in front of an error that has none yet.
  Error& locate(Error& error, Position at);

  const Template& template_;
  const Dict& context_;
  Runtime runtime_;
  ScopeRef root_;
  std::vector<std::optional<Value>> globals_;  // by symbol
  std::deque<Macro> macros_;
  std::deque<LoopState> loops_;
  std::vector<Value> filter_inputs_;  // innermost last
  int depth_ = 0;
  int macro_depth_ = 0;
  bool is_located_ = false;
};

}  // namespace reckon::chat::jinja
