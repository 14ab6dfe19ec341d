#include "base/result.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/macro.h"
#include "chat/jinja/runtime.h"

namespace reckon::chat::jinja {
namespace {

Result<std::optional<Value>> draw(LoopState& loop) {
  while (loop.n_drawn < loop.items->items.size()) {
    const Value& item = loop.items->items[loop.n_drawn++];
    if (!loop.accepts) return item;
    RECKON_TRY(const bool accepted, loop.accepts(item));
    if (accepted) return item;
  }
  return std::nullopt;
}

// The number of items in all. With a condition it asks for the rest of the items at once, as Jinja does.
Result<std::int64_t> length(LoopState& loop) {
  if (loop.accepts) {
    auto rest = std::make_shared<List>();
    while (true) {
      RECKON_TRY(std::optional<Value> item, draw(loop));
      if (!item) break;
      rest->items.push_back(std::move(*item));
    }
    const auto n_before = static_cast<std::size_t>(loop.index0 + 1) + (loop.ahead ? 1 : 0);
    rest->items.insert(rest->items.begin(), n_before, Value());
    loop.items = std::move(rest);
    loop.n_drawn = n_before;
    loop.accepts = nullptr;
  }
  return static_cast<std::int64_t>(loop.items->items.size());
}

Result<Value> cycle(Runtime&, const Value& self, const Args& args) {
  if (args.positional.empty()) return type_error("cycle() needs at least one item");
  return args.positional[static_cast<std::size_t>(self.as_loop()->index0) % args.positional.size()];
}

Result<Value> changed(Runtime& runtime, const Value& self, const Args& args) {
  LoopState& loop = *self.as_loop();
  RECKON_TRY(Value now, runtime.list(args.positional, ListKind::kTuple));
  bool same = false;
  if (loop.last_changed) {
    RECKON_TRY(same, are_equal(runtime, *loop.last_changed, now));
  }
  if (!same) loop.last_changed = std::move(now);
  return Value::boolean(!same);
}

}  // namespace

const Value* Scope::find(Symbol symbol) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
    for (const auto& [name, value] : scope->variables) {
      if (name == symbol) return &value;
    }
  }
  return nullptr;
}

void Scope::set(Symbol symbol, Value value) {
  for (auto& [name, old] : variables) {
    if (name == symbol) {
      old = std::move(value);
      return;
    }
  }
  variables.emplace_back(symbol, std::move(value));
}

Result<bool> LoopState::look_ahead() {
  if (!ahead) {
    RECKON_TRY(ahead, draw(*this));
  }
  return ahead.has_value();
}

Result<bool> LoopState::advance() {
  RECKON_TRY(const bool more, look_ahead());
  if (!more) return false;
  before = std::move(current);
  current = std::move(ahead);
  ahead.reset();
  ++index0;
  return true;
}

Result<Value> loop_attribute(Runtime& runtime, LoopState& loop, std::string_view name) {
  if (name == "index") return Value::integer(loop.index0 + 1);
  if (name == "index0") return Value::integer(loop.index0);
  if (name == "first") return Value::boolean(loop.index0 == 0);
  if (name == "last") {
    RECKON_TRY(const bool more, loop.look_ahead());
    return Value::boolean(!more);
  }
  if (name == "length" || name == "revindex" || name == "revindex0") {
    RECKON_TRY(const std::int64_t n, length(loop));
    return Value::integer(name == "length" ? n : name == "revindex" ? n - loop.index0 : n - loop.index0 - 1);
  }
  if (name == "previtem") return loop.before ? *loop.before : Value::undefined("there is no previous item");
  if (name == "nextitem") {
    RECKON_TRY(const bool more, loop.look_ahead());
    return more ? *loop.ahead : Value::undefined("there is no next item");
  }
  if (name == "depth") return Value::integer(loop.depth0 + 1);
  if (name == "depth0") return Value::integer(loop.depth0);
  const Value self = Value::of(&loop);
  if (name == "cycle") return runtime.method("cycle", cycle, self);
  if (name == "changed") return runtime.method("changed", changed, self);
  return Value();
}

}  // namespace reckon::chat::jinja
