#include "chat/jinja/check.h"

#include <fmt/format.h>

#include "base/result.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/tests.h"

namespace reckon::chat::jinja {
namespace {

Result<void> check_expr(const Expr* expr, bool is_optional);

Result<void> check_call(const CallArgs& call, bool is_optional) {
  for (const ExprPtr& argument : call.positional) RECKON_TRY_VOID(check_expr(argument.get(), is_optional));
  for (const auto& [name, argument] : call.named) RECKON_TRY_VOID(check_expr(argument.get(), is_optional));
  RECKON_TRY_VOID(check_expr(call.star.get(), is_optional));
  return check_expr(call.double_star.get(), is_optional);
}

Result<void> check_expr(const Expr* expr, bool is_optional) {
  if (expr == nullptr) return {};
  if (!is_optional && expr->kind == ExprKind::kFilter && find_filter(expr->name) == nullptr) {
    return fail(ErrorCode::kUnsupported, located(expr->at, fmt::format("there is no filter '{}'", expr->name)));
  }
  if (!is_optional && expr->kind == ExprKind::kTest && find_test(expr->name) == nullptr) {
    return fail(ErrorCode::kUnsupported, located(expr->at, fmt::format("there is no test '{}'", expr->name)));
  }
  const bool inner = is_optional || expr->kind == ExprKind::kCondition;
  for (const ExprPtr& operand : expr->operands) RECKON_TRY_VOID(check_expr(operand.get(), inner));
  return expr->call == nullptr ? Result<void>() : check_call(*expr->call, inner);
}

Result<void> check_block(const Block& block, bool is_optional);

Result<void> check_stmt(const Stmt& stmt, bool is_optional) {
  RECKON_TRY_VOID(check_expr(stmt.expr.get(), is_optional));
  RECKON_TRY_VOID(check_expr(stmt.condition.get(), false));
  for (const auto& [test, body] : stmt.branches) {
    RECKON_TRY_VOID(check_expr(test.get(), true));
    RECKON_TRY_VOID(check_block(body, true));
  }
  for (const ExprPtr& value : stmt.values) RECKON_TRY_VOID(check_expr(value.get(), false));
  if (stmt.macro != nullptr) {
    for (const MacroNode::Parameter& parameter : stmt.macro->parameters) {
      RECKON_TRY_VOID(check_expr(parameter.default_value.get(), false));
    }
    RECKON_TRY_VOID(check_block(stmt.macro->body, false));
  }
  RECKON_TRY_VOID(check_block(stmt.body, false));
  return check_block(stmt.otherwise, stmt.kind == StmtKind::kIf);
}

Result<void> check_block(const Block& block, bool is_optional) {
  for (const StmtPtr& stmt : block) RECKON_TRY_VOID(check_stmt(*stmt, is_optional));
  return {};
}

}  // namespace

Result<void> check_names(const Template& parsed) { return check_block(parsed.body, false); }

}  // namespace reckon::chat::jinja
