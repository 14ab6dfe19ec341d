#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/result.h"
#include "chat/jinja/escapes.h"
#include "chat/jinja/parser_state.h"

namespace reckon::chat::jinja {
namespace {

constexpr std::size_t kMaxNodes = 100'000;

}  // namespace

Result<ExprPtr> Parser::finish(ExprPtr expr) {
  int depth = 0;
  const auto see = [&](const ExprPtr& part) { depth = std::max(depth, part == nullptr ? 0 : part->depth); };
  for (const ExprPtr& operand : expr->operands) see(operand);
  if (expr->call != nullptr) {
    for (const ExprPtr& argument : expr->call->positional) see(argument);
    for (const auto& [name, argument] : expr->call->named) see(argument);
    see(expr->call->star);
    see(expr->call->double_star);
  }
  expr->depth = depth + 1;
  if (expr->depth > limits_.node_depth) {
    return fail(ErrorCode::kLimit, located(expr->at, "template limit: the expression is too deep"));
  }
  if (++n_nodes_ > kMaxNodes) {
    return fail(ErrorCode::kLimit, located(expr->at, fmt::format("template limit: more than {} nodes", kMaxNodes)));
  }
  return expr;
}

Result<ExprPtr> Parser::node(ExprKind kind, Position at, std::vector<ExprPtr> operands) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->at = at;
  expr->operands = std::move(operands);
  return finish(std::move(expr));
}

namespace {

std::vector<ExprPtr> pack(ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr) {
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(a));
  if (b != nullptr || c != nullptr) operands.push_back(std::move(b));
  if (c != nullptr) operands.push_back(std::move(c));
  return operands;
}

}  // namespace

Result<ExprPtr> Parser::expression() {
  const Level level(depth_);
  RECKON_TRY_VOID(check_depth());
  RECKON_TRY(ExprPtr value, any_or());
  while (current().is_name("if")) {
    const Position at = take().at;
    RECKON_TRY(ExprPtr condition, any_or());
    ExprPtr otherwise;
    if (skip_name("else")) {
      RECKON_TRY(otherwise, expression());
    }
    std::vector<ExprPtr> operands = pack(std::move(condition), std::move(value));
    operands.push_back(std::move(otherwise));
    RECKON_TRY(value, node(ExprKind::kCondition, at, std::move(operands)));
  }
  return value;
}

Result<ExprPtr> Parser::any_or() {
  RECKON_TRY(ExprPtr left, any_and());
  while (current().is_name("or")) {
    const Position at = take().at;
    RECKON_TRY(ExprPtr right, any_and());
    RECKON_TRY(left, node(ExprKind::kOr, at, pack(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExprPtr> Parser::any_and() {
  RECKON_TRY(ExprPtr left, any_not());
  while (current().is_name("and")) {
    const Position at = take().at;
    RECKON_TRY(ExprPtr right, any_not());
    RECKON_TRY(left, node(ExprKind::kAnd, at, pack(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExprPtr> Parser::any_not() {
  if (!current().is_name("not")) return comparison();
  const Level level(depth_);
  RECKON_TRY_VOID(check_depth());
  const Position at = take().at;
  RECKON_TRY(ExprPtr operand, any_not());
  return node(ExprKind::kNot, at, pack(std::move(operand)));
}

Result<ExprPtr> Parser::comparison() {
  static constexpr std::pair<std::string_view, CompareOp> kSigns[] = {{"==", CompareOp::kEq}, {"!=", CompareOp::kNe},
                                                                      {"<", CompareOp::kLt},  {"<=", CompareOp::kLe},
                                                                      {">", CompareOp::kGt},  {">=", CompareOp::kGe}};
  const Position at = current().at;
  RECKON_TRY(ExprPtr first, sum());
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kCompare;
  expr->at = at;
  while (true) {
    const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                                    [&](const auto& s) { return current().is_operator(s.first); });
    if (sign != std::end(kSigns)) {
      take();
      expr->compares.push_back(sign->second);
    } else if (skip_name("in")) {
      expr->compares.push_back(CompareOp::kIn);
    } else if (current().is_name("not") && next().is_name("in")) {
      take();
      take();
      expr->compares.push_back(CompareOp::kNotIn);
    } else {
      break;
    }
    RECKON_TRY(ExprPtr operand, sum());
    if (expr->operands.empty()) expr->operands.push_back(std::move(first));
    expr->operands.push_back(std::move(operand));
  }
  if (expr->compares.empty()) return first;
  return finish(std::move(expr));
}

Result<ExprPtr> Parser::left_chain(Rule operand, std::initializer_list<std::pair<std::string_view, BinaryOp>> signs) {
  RECKON_TRY(ExprPtr left, (this->*operand)());
  while (true) {
    const auto* sign =
        std::find_if(signs.begin(), signs.end(), [&](const auto& s) { return current().is_operator(s.first); });
    if (sign == signs.end()) return left;
    const Position at = take().at;
    RECKON_TRY(ExprPtr right, (this->*operand)());
    RECKON_TRY(left, node(ExprKind::kBinary, at, pack(std::move(left), std::move(right))));
    left->op = sign->second;
  }
}

Result<ExprPtr> Parser::sum() {
  return left_chain(&Parser::concatenation, {{"+", BinaryOp::kAdd}, {"-", BinaryOp::kSub}});
}

Result<ExprPtr> Parser::concatenation() {
  const Position at = current().at;
  std::vector<ExprPtr> parts;
  do {
    RECKON_TRY(ExprPtr part, product());
    parts.push_back(std::move(part));
  } while (skip_operator("~"));
  if (parts.size() == 1) return std::move(parts.front());
  return node(ExprKind::kConcat, at, std::move(parts));
}

Result<ExprPtr> Parser::product() {
  return left_chain(&Parser::power,
                    {{"*", BinaryOp::kMul}, {"/", BinaryOp::kDiv}, {"//", BinaryOp::kFloorDiv}, {"%", BinaryOp::kMod}});
}

Result<ExprPtr> Parser::power() { return left_chain(&Parser::unary, {{"**", BinaryOp::kPow}}); }

Result<ExprPtr> Parser::signed_operand(bool with_filter) {
  ExprPtr expr;
  if (current().is_operator("-") || current().is_operator("+")) {
    const Level level(depth_);
    RECKON_TRY_VOID(check_depth());
    const Token sign = take();
    RECKON_TRY(ExprPtr operand, signed_operand(false));
    RECKON_TRY(expr, node(sign.text == "-" ? ExprKind::kNegate : ExprKind::kPlus, sign.at, pack(std::move(operand))));
  } else {
    RECKON_TRY(expr, primary());
  }
  RECKON_TRY(expr, postfix(std::move(expr)));
  return with_filter ? filters_and_tests(std::move(expr)) : Result<ExprPtr>(std::move(expr));
}

Result<ExprPtr> Parser::primary() {
  switch (current().kind) {
    case TokenKind::kName:
      return name_or_constant();
    case TokenKind::kString:
      return string_constant();
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return number_constant();
    default:
      break;
  }
  if (skip_operator("(")) {
    RECKON_TRY(ExprPtr inner, tuple(&Parser::expression, {}, true));
    RECKON_TRY_VOID(expect_operator(")"));
    return inner;
  }
  if (current().is_operator("[")) return list_display();
  if (current().is_operator("{")) return dict_display();
  return unexpected("an expression");
}

Result<ExprPtr> Parser::name_or_constant() {
  const Token token = take();
  const bool is_true = token.text == "true" || token.text == "True";
  const bool is_false = token.text == "false" || token.text == "False";
  if (is_true || is_false || token.text == "none" || token.text == "None") {
    RECKON_TRY(ExprPtr constant, node(ExprKind::kConst, token.at));
    constant->constant = is_true || is_false ? Value::boolean(is_true) : Value::none();
    return constant;
  }
  for (MacroNode* macro : macros_) {
    macro->uses_caller |= token.text == "caller";
    macro->uses_varargs |= token.text == "varargs";
    macro->uses_kwargs |= token.text == "kwargs";
  }
  RECKON_TRY(ExprPtr name, node(ExprKind::kName, token.at));
  name->name = token.text;
  name->symbol = symbol_of(token.text);
  return name;
}

Result<ExprPtr> Parser::string_constant() {
  const Position at = current().at;
  std::string bytes;
  while (current().kind == TokenKind::kString) {  // neighbours are one string
    const Token token = take();
    auto part = unescape(token.text.substr(1, token.text.size() - 2));
    if (!part) return error_at(token.at, part.error().message);
    bytes += *part;
  }
  RECKON_TRY(ExprPtr constant, node(ExprKind::kConst, at));
  constant->constant = Value::text(MarkedText(std::move(bytes), Mark::kTemplate));
  return constant;
}

Result<ExprPtr> Parser::number_constant() {
  const Token token = take();
  std::string digits(token.text);
  std::erase(digits, '_');
  RECKON_TRY(ExprPtr constant, node(ExprKind::kConst, token.at));
  const char* end = digits.data() + digits.size();
  if (token.kind == TokenKind::kFloat) {
    double number = 0;
    std::from_chars(digits.data(), end, number);
    constant->constant = Value::real(number);
    return constant;
  }
  int base = 10;
  const char* begin = digits.data();
  if (digits.size() > 2 && digits[0] == '0' && !(digits[1] >= '0' && digits[1] <= '9')) {
    const char kind = static_cast<char>(digits[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;
    begin += 2;
  }
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, base);
  if (error == std::errc::result_out_of_range) {
    return fail(ErrorCode::kLimit, located(token.at, "template limit: a whole number beyond 64 bits"));
  }
  if (error != std::errc() || stop != end) return error_at(token.at, fmt::format("'{}' is no number", token.text));
  constant->constant = Value::integer(number);
  return constant;
}

Result<ExprPtr> Parser::list_display() {
  const Position at = take().at;
  std::vector<ExprPtr> items;
  while (!current().is_operator("]")) {
    if (!items.empty()) RECKON_TRY_VOID(expect_operator(","));
    if (current().is_operator("]")) break;
    RECKON_TRY(ExprPtr item, expression());
    items.push_back(std::move(item));
  }
  take();
  return node(ExprKind::kList, at, std::move(items));
}

Result<ExprPtr> Parser::dict_display() {
  const Position at = take().at;
  std::vector<ExprPtr> items;
  while (!current().is_operator("}")) {
    if (!items.empty()) RECKON_TRY_VOID(expect_operator(","));
    if (current().is_operator("}")) break;
    RECKON_TRY(ExprPtr key, expression());
    RECKON_TRY_VOID(expect_operator(":"));
    RECKON_TRY(ExprPtr value, expression());
    items.push_back(std::move(key));
    items.push_back(std::move(value));
  }
  take();
  return node(ExprKind::kDict, at, std::move(items));
}

Result<ExprPtr> Parser::tuple(Rule item, std::string_view ends_at, bool may_be_empty) {
  const Position at = current().at;
  const auto ends = [&] {
    return current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd ||
           current().is_operator(")") || (!ends_at.empty() && current().is_name(ends_at));
  };
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  while (!ends()) {
    RECKON_TRY(ExprPtr part, (this->*item)());
    items.push_back(std::move(part));
    if (!skip_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && items.size() == 1) return std::move(items.front());
  if (items.empty() && !may_be_empty) return unexpected("an expression");
  return node(ExprKind::kTuple, at, std::move(items));
}

Result<ExprPtr> Parser::postfix(ExprPtr expr) {
  while (true) {
    if (current().is_operator(".") || current().is_operator("[")) {
      RECKON_TRY(expr, subscript(std::move(expr)));
    } else if (current().is_operator("(")) {
      RECKON_TRY(expr, call(std::move(expr)));
    } else {
      return expr;
    }
  }
}

Result<ExprPtr> Parser::filters_and_tests(ExprPtr expr) {
  while (true) {
    if (skip_operator("|")) {
      RECKON_TRY(expr, filter(std::move(expr)));
    } else if (current().is_name("is")) {
      take();
      RECKON_TRY(expr, test(std::move(expr)));
    } else if (current().is_operator("(")) {
      RECKON_TRY(expr, call(std::move(expr)));
    } else {
      return expr;
    }
  }
}

Result<ExprPtr> Parser::subscript(ExprPtr expr) {
  const Token opening = take();
  if (opening.text == ".") {
    if (current().kind == TokenKind::kInteger) {
      RECKON_TRY(ExprPtr index, number_constant());
      return node(ExprKind::kItem, opening.at, pack(std::move(expr), std::move(index)));
    }
    if (current().kind != TokenKind::kName) return unexpected("a name or number");
    const std::string name(take().text);
    RECKON_TRY(ExprPtr attribute, node(ExprKind::kAttribute, opening.at, pack(std::move(expr))));
    attribute->name = name;
    return attribute;
  }
  ExprPtr first;
  if (!current().is_operator(":")) {
    RECKON_TRY(first, expression());
  }
  if (current().is_operator(":")) return slice(std::move(expr), std::move(first), opening.at);
  if (current().is_operator(",")) {  // a tuple as key
    std::vector<ExprPtr> items = pack(std::move(first));
    while (skip_operator(",")) {
      if (current().is_operator("]")) break;
      RECKON_TRY(ExprPtr item, expression());
      items.push_back(std::move(item));
    }
    RECKON_TRY(first, node(ExprKind::kTuple, opening.at, std::move(items)));
  }
  RECKON_TRY_VOID(expect_operator("]"));
  return node(ExprKind::kItem, opening.at, pack(std::move(expr), std::move(first)));
}

Result<ExprPtr> Parser::slice(ExprPtr object, ExprPtr first, Position at) {
  std::vector<ExprPtr> parts;
  parts.push_back(std::move(object));
  parts.push_back(std::move(first));
  while (parts.size() < 4) {
    ExprPtr part;
    if (skip_operator(":") && !current().is_operator(":") && !current().is_operator("]")) {
      RECKON_TRY(part, expression());
    }
    parts.push_back(std::move(part));
  }
  RECKON_TRY_VOID(expect_operator("]"));
  return node(ExprKind::kSlice, at, std::move(parts));
}

Result<std::unique_ptr<CallArgs>> Parser::call_args() {
  auto args = std::make_unique<CallArgs>();
  const Position at = current().at;
  RECKON_TRY_VOID(expect_operator("("));
  bool needs_comma = false;
  while (!current().is_operator(")")) {
    if (needs_comma) RECKON_TRY_VOID(expect_operator(","));
    if (current().is_operator(")")) break;
    bool valid = args->double_star == nullptr;
    if (skip_operator("*")) {
      valid = valid && args->star == nullptr;
      RECKON_TRY(args->star, expression());
    } else if (skip_operator("**")) {
      RECKON_TRY(args->double_star, expression());
    } else if (current().kind == TokenKind::kName && next().is_operator("=")) {
      const std::string name(take().text);
      take();
      RECKON_TRY(ExprPtr value, expression());
      args->named.emplace_back(name, std::move(value));
    } else {
      valid = valid && args->star == nullptr && args->named.empty();
      RECKON_TRY(ExprPtr value, expression());
      args->positional.push_back(std::move(value));
    }
    if (!valid) return error_at(at, "the arguments of this call are in the wrong order");
    needs_comma = true;
  }
  take();
  return args;
}

Result<ExprPtr> Parser::call(ExprPtr callee) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kCall;
  expr->at = current().at;
  RECKON_TRY(expr->call, call_args());
  expr->operands.push_back(std::move(callee));
  return finish(std::move(expr));
}

Result<std::string> Parser::dotted_name() {
  RECKON_TRY(const std::string_view first, expect_identifier());
  std::string name(first);
  while (skip_operator(".")) {
    RECKON_TRY(const std::string_view part, expect_identifier());
    name += '.';
    name += part;
  }
  return name;
}

Result<ExprPtr> Parser::filter(ExprPtr input) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kFilter;
  expr->at = current().at;
  RECKON_TRY(expr->name, dotted_name());
  expr->operands.push_back(std::move(input));
  if (current().is_operator("(")) {
    RECKON_TRY(expr->call, call_args());
  } else {
    expr->call = std::make_unique<CallArgs>();
  }
  return finish(std::move(expr));
}

Result<ExprPtr> Parser::filter_chain(ExprPtr input) {
  RECKON_TRY(ExprPtr expr, filter(std::move(input)));
  while (skip_operator("|")) {
    RECKON_TRY(expr, filter(std::move(expr)));
  }
  return expr;
}

Result<ExprPtr> Parser::test(ExprPtr value) {
  const Position at = current().at;
  const bool negated = skip_name("not");
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kTest;
  expr->at = at;
  RECKON_TRY(expr->name, dotted_name());
  expr->operands.push_back(std::move(value));
  expr->call = std::make_unique<CallArgs>();
  const Token& token = current();
  const bool starts_operand =
      token.kind == TokenKind::kString || token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat ||
      token.is_operator("[") || token.is_operator("{") ||
      (token.kind == TokenKind::kName && token.text != "else" && token.text != "or" && token.text != "and");
  if (token.is_operator("(")) {
    RECKON_TRY(expr->call, call_args());
  } else if (token.is_name("is")) {
    return error_at(token.at, "tests cannot be chained with `is`");
  } else if (starts_operand) {
    RECKON_TRY(ExprPtr argument, primary());
    RECKON_TRY(argument, postfix(std::move(argument)));
    expr->call->positional.push_back(std::move(argument));
  }
  RECKON_TRY(ExprPtr done, finish(std::move(expr)));
  if (!negated) return done;
  return node(ExprKind::kNot, at, pack(std::move(done)));
}

}  // namespace reckon::chat::jinja
