#include "chat/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/check.h"
#include "chat/jinja/parser_state.h"

namespace reckon::chat::jinja {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the template";
    case TokenKind::kVariableEnd:
    case TokenKind::kBlockEnd:
      return "the end of the tag";
    default:
      return fmt::format("'{}'", token.text.substr(0, 40));
  }
}

}  // namespace

const Token& Parser::take() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::skip_operator(std::string_view sign) {
  if (!current().is_operator(sign)) return false;
  take();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  take();
  return true;
}

Result<void> Parser::expect_operator(std::string_view sign) {
  if (!skip_operator(sign)) return unexpected(fmt::format("'{}'", sign));
  return {};
}

Result<void> Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) return unexpected(fmt::format("'{}'", name));
  return {};
}

Result<std::string_view> Parser::expect_identifier() {
  if (current().kind != TokenKind::kName) return unexpected("a name");
  return take().text;
}

Result<void> Parser::expect_block_end() {
  if (current().kind != TokenKind::kBlockEnd) return unexpected("'%}'");
  take();
  return {};
}

std::unexpected<Error> Parser::unexpected(std::string_view wanted) const {
  return error_at(current().at, fmt::format("expected {}, got {}", wanted, describe(current())));
}

std::unexpected<Error> Parser::error_at(Position at, std::string_view message) const {
  return fail(ErrorCode::kInvalidInput, located(at, message));
}

Result<void> Parser::check_depth() const {
  if (depth_ <= limits_.parse_depth) return {};
  return fail(ErrorCode::kLimit,
              located(current().at, fmt::format("template limit: nested deeper than {}", limits_.parse_depth)));
}

Symbol Parser::symbol_of(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const auto symbol = static_cast<Symbol>(symbols_.size());
  symbols_.emplace_back(name);
  numbers_.emplace(name, symbol);
  return symbol;
}

StmtPtr Parser::make(StmtKind kind, Position at) const {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->at = at;
  return stmt;
}

Result<Template> Parser::run() {
  RECKON_TRY(Block body, block_until({}));
  return Template{std::move(body), std::move(symbols_)};
}

// Statements up to {% end %}; stops at the name of the end, which the caller takes. Without ends: all of the source.
Result<Block> Parser::block_until(std::initializer_list<std::string_view> ends) {
  const Level level(depth_);
  RECKON_TRY_VOID(check_depth());
  Block block;
  while (current().kind != TokenKind::kEnd) {
    const Token token = take();
    if (token.kind == TokenKind::kData) {
      StmtPtr text = make(StmtKind::kText, token.at);
      text->text = std::make_shared<const MarkedText>(std::string(token.text), Mark::kTemplate);
      block.push_back(std::move(text));
    } else if (token.kind == TokenKind::kVariableBegin) {
      StmtPtr print = make(StmtKind::kPrint, token.at);
      RECKON_TRY(print->expr, tuple(&Parser::expression));
      if (current().kind != TokenKind::kVariableEnd) return unexpected("'}}'");
      take();
      block.push_back(std::move(print));
    } else {
      const auto is_end = [&](std::string_view end) { return current().is_name(end); };
      if (std::any_of(ends.begin(), ends.end(), is_end)) return block;
      RECKON_TRY(StmtPtr stmt, statement());
      RECKON_TRY_VOID(expect_block_end());
      block.push_back(std::move(stmt));
    }
  }
  if (ends.size() != 0) return unexpected(fmt::format("'{}'", *(ends.end() - 1)));
  return block;
}

Result<StmtPtr> Parser::statement() {
  static constexpr std::string_view kMissing[] = {"include", "import", "from", "extends", "block", "autoescape"};
  const Token token = current();
  if (token.kind != TokenKind::kName) return unexpected("the name of a statement");
  take();
  if (token.text == "if") return if_statement();
  if (token.text == "for") return for_statement();
  if (token.text == "set") return set_statement();
  if (token.text == "macro") return macro_statement();
  if (token.text == "call") return call_statement();
  if (token.text == "filter") return filter_statement();
  if (token.text == "with") return with_statement();
  if (token.text == "generation") return scope_statement(StmtKind::kGeneration, "endgeneration");
  if (token.text == "break" || token.text == "continue") {
    if (loops_ == 0) return error_at(token.at, fmt::format("'{}' outside of a loop", token.text));
    return make(token.text == "break" ? StmtKind::kBreak : StmtKind::kContinue, token.at);
  }
  if (token.text == "print") {
    StmtPtr print = make(StmtKind::kPrint, token.at);
    RECKON_TRY(print->expr, tuple(&Parser::expression));
    return print;
  }
  if (std::find(std::begin(kMissing), std::end(kMissing), token.text) != std::end(kMissing)) {
    return fail(ErrorCode::kUnsupported,
                located(token.at, fmt::format("'{}' is not supported: a chat template is one text", token.text)));
  }
  return error_at(token.at, fmt::format("unknown statement '{}'", token.text.substr(0, 40)));
}

Result<StmtPtr> Parser::if_statement() {
  StmtPtr stmt = make(StmtKind::kIf, current().at);
  while (true) {
    RECKON_TRY(ExprPtr test, tuple(&Parser::any_or));
    RECKON_TRY_VOID(expect_block_end());
    RECKON_TRY(Block body, block_until({"elif", "else", "endif"}));
    stmt->branches.emplace_back(std::move(test), std::move(body));
    const std::string_view end = take().text;
    if (end == "elif") continue;
    if (end == "else") {
      RECKON_TRY_VOID(expect_block_end());
      RECKON_TRY(stmt->otherwise, block_until({"endif"}));
      take();
    }
    return stmt;
  }
}

Result<StmtPtr> Parser::for_statement() {
  StmtPtr stmt = make(StmtKind::kFor, current().at);
  stmt->symbol = symbol_of("loop");
  RECKON_TRY(Target item, target(false, "in"));
  stmt->targets.push_back(std::move(item));
  RECKON_TRY_VOID(expect_name("in"));
  RECKON_TRY(stmt->expr, tuple(&Parser::any_or, "recursive"));
  if (skip_name("if")) {
    RECKON_TRY(stmt->condition, expression());
  }
  stmt->is_recursive = skip_name("recursive");
  RECKON_TRY_VOID(expect_block_end());
  ++loops_;
  RECKON_TRY(stmt->body, block_until({"else", "endfor"}));
  --loops_;
  if (take().text == "else") {
    RECKON_TRY_VOID(expect_block_end());
    RECKON_TRY(stmt->otherwise, block_until({"endfor"}));
    take();
  }
  return stmt;
}

Result<StmtPtr> Parser::set_statement() {
  StmtPtr stmt = make(StmtKind::kSet, current().at);
  RECKON_TRY(Target where, target(true, {}));
  stmt->targets.push_back(std::move(where));
  if (skip_operator("=")) {
    RECKON_TRY(stmt->expr, tuple(&Parser::expression));
    return stmt;
  }
  stmt->kind = StmtKind::kSetBlock;
  if (skip_operator("|")) {
    RECKON_TRY(ExprPtr input, node(ExprKind::kInput, current().at));
    RECKON_TRY(stmt->expr, filter_chain(std::move(input)));
  }
  RECKON_TRY_VOID(expect_block_end());
  RECKON_TRY(stmt->body, block_until({"endset"}));
  take();
  return stmt;
}

Result<void> Parser::parameters(MacroNode& macro) {
  RECKON_TRY_VOID(expect_operator("("));
  while (!current().is_operator(")")) {
    if (!macro.parameters.empty()) RECKON_TRY_VOID(expect_operator(","));
    const Position at = current().at;
    RECKON_TRY(const std::string_view name, expect_identifier());
    ExprPtr default_value;
    if (skip_operator("=")) {
      RECKON_TRY(default_value, expression());
    } else if (!macro.parameters.empty() && macro.parameters.back().default_value != nullptr) {
      return error_at(at, "a parameter without default follows one with a default");
    }
    macro.parameters.push_back({symbol_of(name), std::string(name), std::move(default_value)});
  }
  take();
  return {};
}

// The body of a macro or a call block: a loop around it is no loop to `break` from.
Result<void> Parser::macro_body(MacroNode& macro, std::string_view end) {
  macros_.push_back(&macro);
  const int loops = std::exchange(loops_, 0);
  RECKON_TRY_VOID(expect_block_end());
  RECKON_TRY(macro.body, block_until({end}));
  take();
  loops_ = loops;
  macros_.pop_back();
  return {};
}

Result<StmtPtr> Parser::macro_statement() {
  StmtPtr stmt = make(StmtKind::kMacro, current().at);
  RECKON_TRY(const std::string_view name, expect_identifier());
  stmt->symbol = symbol_of(name);
  stmt->macro = std::make_unique<MacroNode>();
  stmt->macro->name = name;
  RECKON_TRY_VOID(parameters(*stmt->macro));
  RECKON_TRY_VOID(macro_body(*stmt->macro, "endmacro"));
  return stmt;
}

Result<StmtPtr> Parser::call_statement() {
  StmtPtr stmt = make(StmtKind::kCallBlock, current().at);
  stmt->macro = std::make_unique<MacroNode>();
  stmt->macro->name = "caller";
  if (current().is_operator("(")) RECKON_TRY_VOID(parameters(*stmt->macro));
  const Position at = current().at;
  RECKON_TRY(stmt->expr, expression());
  if (stmt->expr->kind != ExprKind::kCall) return error_at(at, "a call block needs a call");
  RECKON_TRY_VOID(macro_body(*stmt->macro, "endcall"));
  return stmt;
}

Result<StmtPtr> Parser::filter_statement() {
  StmtPtr stmt = make(StmtKind::kFilterBlock, current().at);
  RECKON_TRY(ExprPtr input, node(ExprKind::kInput, current().at));
  RECKON_TRY(stmt->expr, filter_chain(std::move(input)));
  RECKON_TRY_VOID(expect_block_end());
  RECKON_TRY(stmt->body, block_until({"endfilter"}));
  take();
  return stmt;
}

Result<StmtPtr> Parser::with_statement() {
  StmtPtr stmt = make(StmtKind::kWith, current().at);
  while (current().kind != TokenKind::kBlockEnd) {
    if (!stmt->targets.empty()) RECKON_TRY_VOID(expect_operator(","));
    RECKON_TRY(Target where, target_part(false));
    RECKON_TRY_VOID(expect_operator("="));
    RECKON_TRY(ExprPtr value, expression());
    stmt->targets.push_back(std::move(where));
    stmt->values.push_back(std::move(value));
  }
  RECKON_TRY_VOID(expect_block_end());
  RECKON_TRY(stmt->body, block_until({"endwith"}));
  take();
  return stmt;
}

Result<StmtPtr> Parser::scope_statement(StmtKind kind, std::string_view end) {
  StmtPtr stmt = make(kind, current().at);
  const int loops = std::exchange(loops_, 0);
  RECKON_TRY_VOID(expect_block_end());
  RECKON_TRY(stmt->body, block_until({end}));
  take();
  loops_ = loops;
  return stmt;
}

Result<Target> Parser::target(bool with_attribute, std::string_view ends_at) {
  Target tuple_target;
  tuple_target.kind = Target::Kind::kTuple;
  tuple_target.at = current().at;
  bool is_tuple = false;
  while (true) {
    if (!tuple_target.parts.empty() && !ends_at.empty() && current().is_name(ends_at)) break;
    RECKON_TRY(Target part, target_part(with_attribute));
    tuple_target.parts.push_back(std::move(part));
    if (!skip_operator(",")) break;
    is_tuple = true;
  }
  if (is_tuple) return tuple_target;
  return std::move(tuple_target.parts.front());
}

Result<Target> Parser::target_part(bool with_attribute) {
  const Level level(depth_);
  RECKON_TRY_VOID(check_depth());
  const Position at = current().at;
  if (current().is_operator("(") || current().is_operator("[")) {
    const std::string_view close = take().text == "(" ? ")" : "]";
    RECKON_TRY(Target inner, target(with_attribute, {}));
    RECKON_TRY_VOID(expect_operator(close));
    return inner;
  }
  static constexpr std::string_view kConstants[] = {"true", "false", "none", "True", "False", "None"};
  if (std::find(std::begin(kConstants), std::end(kConstants), current().text) != std::end(kConstants)) {
    return error_at(at, fmt::format("cannot assign to '{}'", current().text));
  }
  RECKON_TRY(const std::string_view name, expect_identifier());
  Target where;
  where.at = at;
  where.symbol = symbol_of(name);
  if (with_attribute && skip_operator(".")) {
    RECKON_TRY(const std::string_view attribute, expect_identifier());
    where.kind = Target::Kind::kAttribute;
    where.attribute = attribute;
  }
  return where;
}

Result<Template> parse_template(std::string_view source, const Limits& limits) {
  if (source.size() > limits.source_bytes) {
    return fail(ErrorCode::kLimit, fmt::format("template limit: {} bytes of source, at most {} are read", source.size(),
                                               limits.source_bytes));
  }
  const std::string normalized = normalize_source(source);
  RECKON_TRY(std::vector<Token> tokens, tokenize(normalized));
  RECKON_TRY(Template result, Parser(std::move(tokens), limits).run());
  RECKON_TRY_VOID(check_names(result));
  return result;
}

}  // namespace reckon::chat::jinja
