#pragma once
// The tree of a template. Built by the parser, immutable afterwards; depth is bounded, so walks may recurse.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chat/jinja/lexer.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

using Symbol = std::uint32_t;  // a variable name, numbered by the parser

enum class ExprKind : std::uint8_t {
  kConst,      // constant
  kName,       // symbol, name
  kList,       // operands
  kTuple,      // operands
  kDict,       // operands: key, value, key, value ...
  kAttribute,  // operands[0].name
  kItem,       // operands[0][operands[1]]
  kSlice,      // operands[0][operands[1]:operands[2]:operands[3]], null: left out
  kCall,       // operands[0](call)
  kFilter,     // operands[0] | name(call)
  kTest,       // operands[0] is name(call)
  kNot,        // operands[0]
  kNegate,     // operands[0]
  kPlus,       // operands[0]
  kBinary,     // operands[0] op operands[1]
  kCompare,    // operands[0] compares[0] operands[1] compares[1] ...
  kAnd,        // operands[0], operands[1]
  kOr,         // operands[0], operands[1]
  kConcat,     // operands joined by ~
  kCondition,  // operands[1] if operands[0] else operands[2], null: undefined
  kInput,      // what a filter block or a set block hands to its first filter
};

enum class CompareOp : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIn, kNotIn };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct CallArgs {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr star;         // *args
  ExprPtr double_star;  // **kwargs
};

struct Expr {
  ExprKind kind = ExprKind::kConst;
  BinaryOp op = BinaryOp::kAdd;
  Position at;
  int depth = 1;
  Symbol symbol = 0;
  Value constant;
  std::string name;
  std::vector<ExprPtr> operands;
  std::vector<CompareOp> compares;
  std::unique_ptr<CallArgs> call;
};

// Where an assignment goes: a name, an attribute of a namespace, or several of them.
struct Target {
  enum class Kind : std::uint8_t { kName, kAttribute, kTuple } kind = Kind::kName;
  Position at;
  Symbol symbol = 0;
  std::string attribute;
  std::vector<Target> parts;
};

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

struct MacroNode {
  std::string name;
  struct Parameter {
    Symbol symbol;
    std::string name;
    ExprPtr default_value;  // null: none
  };
  std::vector<Parameter> parameters;
  Block body;
  bool uses_caller = false;
  bool uses_varargs = false;
  bool uses_kwargs = false;
};

enum class StmtKind : std::uint8_t {
  kText,         // text
  kPrint,        // expr
  kIf,           // branches in order, then otherwise
  kFor,          // for targets[0] in expr if condition: body, otherwise; symbol is `loop`
  kSet,          // targets[0] = expr
  kSetBlock,     // targets[0] = body through expr (null: no filter)
  kMacro,        // macro, symbol
  kCallBlock,    // expr is the call, macro the block
  kFilterBlock,  // body through expr
  kWith,         // targets = values, body
  kScope,        // body with variables of its own
  kGeneration,   // body: what the model wrote; has variables of its own
  kBreak,
  kContinue,
};

struct Stmt {
  StmtKind kind = StmtKind::kText;
  Position at;
  TextRef text;
  ExprPtr expr;
  ExprPtr condition;
  std::vector<std::pair<ExprPtr, Block>> branches;
  std::vector<Target> targets;
  std::vector<ExprPtr> values;
  Block body;
  Block otherwise;
  bool is_recursive = false;
  Symbol symbol = 0;
  std::unique_ptr<MacroNode> macro;
};

struct Template {
  Block body;
  std::vector<std::string> symbols;  // by number
};

}  // namespace reckon::chat::jinja
