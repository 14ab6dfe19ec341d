#pragma once
// The parser itself, for the two files that hold its halves: expressions and statements. Recursive descent with the
// precedence of Jinja; every level of nesting is counted.

#include <map>

#include "chat/jinja/parser.h"

namespace reckon::chat::jinja {

class Parser {
 public:
  Parser(std::vector<Token> tokens, const Limits& limits) : tokens_(std::move(tokens)), limits_(limits) {}
  Result<Template> run();

 private:
  // Counts one level of nesting for as long as it lives.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  // Tokens (parser.cc)
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& take();
  bool skip_operator(std::string_view sign);
  bool skip_name(std::string_view name);
  Result<void> expect_operator(std::string_view sign);
  Result<void> expect_name(std::string_view name);
  Result<std::string_view> expect_identifier();
  Result<void> expect_block_end();
  [[nodiscard]] std::unexpected<Error> unexpected(std::string_view wanted) const;
  [[nodiscard]] std::unexpected<Error> error_at(Position at, std::string_view message) const;
  [[nodiscard]] Result<void> check_depth() const;
  Symbol symbol_of(std::string_view name);

  // Expressions (expression_parser.cc)
  using Rule = Result<ExprPtr> (Parser::*)();
  Result<ExprPtr> node(ExprKind kind, Position at, std::vector<ExprPtr> operands = {});
  Result<ExprPtr> finish(ExprPtr expr);
  Result<ExprPtr> left_chain(Rule operand, std::initializer_list<std::pair<std::string_view, BinaryOp>> signs);
  Result<ExprPtr> expression();  // with a condition: a if b else c
  Result<ExprPtr> any_or();
  Result<ExprPtr> any_and();
  Result<ExprPtr> any_not();
  Result<ExprPtr> comparison();
  Result<ExprPtr> sum();
  Result<ExprPtr> concatenation();
  Result<ExprPtr> product();
  Result<ExprPtr> power();
  Result<ExprPtr> unary() { return signed_operand(true); }
  Result<ExprPtr> signed_operand(bool with_filter);
  Result<ExprPtr> primary();
  Result<ExprPtr> name_or_constant();
  Result<ExprPtr> string_constant();
  Result<ExprPtr> number_constant();
  Result<ExprPtr> list_display();
  Result<ExprPtr> dict_display();
  Result<ExprPtr> postfix(ExprPtr expr);
  Result<ExprPtr> filters_and_tests(ExprPtr expr);
  Result<ExprPtr> subscript(ExprPtr expr);
  Result<ExprPtr> slice(ExprPtr object, ExprPtr first, Position at);
  Result<ExprPtr> call(ExprPtr callee);
  Result<ExprPtr> filter(ExprPtr input);        // after the |
  Result<ExprPtr> filter_chain(ExprPtr input);  // f | g | h
  Result<ExprPtr> test(ExprPtr value);          // after `is`
  Result<std::string> dotted_name();
  Result<std::unique_ptr<CallArgs>> call_args();
  // One expression, or a tuple where commas follow. `ends_at`: a name that ends it; may_be_empty: ().
  Result<ExprPtr> tuple(Rule item, std::string_view ends_at = {}, bool may_be_empty = false);

  // Statements (parser.cc)
  Result<Block> block_until(std::initializer_list<std::string_view> ends);
  Result<StmtPtr> statement();
  Result<StmtPtr> if_statement();
  Result<StmtPtr> for_statement();
  Result<StmtPtr> set_statement();
  Result<StmtPtr> macro_statement();
  Result<StmtPtr> call_statement();
  Result<StmtPtr> filter_statement();
  Result<StmtPtr> with_statement();
  Result<StmtPtr> scope_statement(StmtKind kind, std::string_view end);
  Result<void> parameters(MacroNode& macro);
  Result<void> macro_body(MacroNode& macro, std::string_view end);
  Result<Target> target(bool with_attribute, std::string_view ends_at);
  Result<Target> target_part(bool with_attribute);
  StmtPtr make(StmtKind kind, Position at) const;

  std::vector<Token> tokens_;
  const Limits& limits_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int loops_ = 0;
  std::size_t n_nodes_ = 0;
  std::map<std::string, Symbol, std::less<>> numbers_;
  std::vector<std::string> symbols_;
  std::vector<MacroNode*> macros_;  // that are being parsed, outermost first
};

}  // namespace reckon::chat::jinja
