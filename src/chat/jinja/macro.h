#pragma once
// Scopes, and the values that come with one: macros and loops. The interpreter owns them until the render ends.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chat/jinja/ast.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

// The variables of one block. What is not found here is looked for in the parent.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::vector<std::pair<Symbol, Value>> variables;

  [[nodiscard]] const Value* find(Symbol symbol) const;
  void set(Symbol symbol, Value value);
};

struct Macro {
  std::string name;
  const MacroNode* node = nullptr;  // of the template, which outlives the render
  std::shared_ptr<Scope> scope;     // where it was defined
};

// A loop as its body sees it. Items are drawn one by one, so that a condition of the loop sees what the body did.
struct LoopState {
  ListRef items;
  std::size_t n_drawn = 0;
  std::function<Result<bool>(const Value&)> accepts;  // empty: every item
  std::int64_t index0 = -1;
  std::int64_t depth0 = 0;
  std::optional<Value> before;
  std::optional<Value> current;
  std::optional<Value> ahead;  // drawn already: the next item
  std::optional<Value> last_changed;
  const Stmt* recursive = nullptr;  // the loop itself where it may be called
  std::shared_ptr<Scope> scope;     // around a recursive loop

  // Moves to the next item; false at the end.
  [[nodiscard]] Result<bool> advance();
  // Draws the next item without moving.
  [[nodiscard]] Result<bool> look_ahead();
};

// loop.name; undefined for a name that loops do not have.
[[nodiscard]] Result<Value> loop_attribute(Runtime& runtime, LoopState& loop, std::string_view name);

}  // namespace reckon::chat::jinja
