#include "chat/jinja/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/print.h"

namespace reckon::chat::jinja {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // of Jinja's sandbox
constexpr std::size_t kMaxTimeFormat = 512;

Result<Value> range(Runtime& runtime, const Value&, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"start", "stop", "step"}, 1, "range"));
  std::array<std::int64_t, 3> numbers = {0, 0, 1};
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] != nullptr && !bound[i]->int_like(numbers[i])) {
      return type_error(fmt::format("range() needs whole numbers, not {}", bound[i]->type_name()));
    }
  }
  if (bound[1] == nullptr) numbers = {0, numbers[0], 1};
  const auto [start, stop, step] = numbers;
  if (step == 0) return type_error("range() step must not be zero");
  std::vector<Value> items;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (static_cast<std::int64_t>(items.size()) == kMaxRange) {
      return fail(ErrorCode::kLimit, fmt::format("template limit: a range of more than {} numbers", kMaxRange));
    }
    items.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return runtime.list(std::move(items), ListKind::kRange);
}

using Entries = std::vector<std::pair<Value, Value>>;

Result<void> put(Runtime& runtime, Entries& entries, const Value& key, const Value& value) {
  if (!is_hashable(key)) return type_error(fmt::format("unhashable type: {}", key.type_name()));
  for (auto& [name, held] : entries) {
    RECKON_TRY(const bool same, are_equal(runtime, name, key));
    if (!same) continue;
    held = value;
    return {};
  }
  entries.emplace_back(key, value);
  return {};
}

// dict(mapping or pairs, name=value ...)
Result<Entries> entries_of(Runtime& runtime, const Args& args) {
  if (args.positional.size() > 1) return type_error("dict() takes at most 1 argument by position");
  Entries entries;
  if (!args.positional.empty()) {
    const Value& source = args.positional[0];
    if (const Dict* dict = source.as_dict()) {
      RECKON_TRY_VOID(runtime.charge(dict->entries.size()));
      entries = dict->entries;
    } else {
      RECKON_TRY(const ListRef list, items_of(runtime, source));
      for (const Value& item : list->items) {
        RECKON_TRY(const ListRef pair, items_of(runtime, item));
        if (pair->items.size() != 2) return type_error("dict() needs pairs");
        RECKON_TRY_VOID(put(runtime, entries, pair->items[0], pair->items[1]));
      }
    }
  }
  for (const auto& [name, value] : args.named) RECKON_TRY_VOID(put(runtime, entries, Value::literal(name), value));
  return entries;
}

Result<Value> dict(Runtime& runtime, const Value&, const Args& args) {
  RECKON_TRY(Entries entries, entries_of(runtime, args));
  return runtime.dict(std::move(entries));
}

Result<Value> make_namespace(Runtime& runtime, const Value&, const Args& args) {
  RECKON_TRY(const Entries entries, entries_of(runtime, args));
  RECKON_TRY(Namespace * space, runtime.new_namespace());
  for (const auto& [key, value] : entries) {
    if (key.as_text() == nullptr) return type_error("namespace() needs names");
    space->attributes.emplace_back(key.as_text()->bytes(), value);
  }
  return Value::of(space);
}

Result<Value> raise_exception(Runtime& runtime, const Value&, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"message"}, 1, "raise_exception"));
  RECKON_TRY(const TextRef message, to_text(runtime, *bound[0]));
  constexpr std::size_t kMaxMessage = 1000;
  return type_error("the template refuses: " + message->bytes().substr(0, kMaxMessage));
}

Result<Value> strftime_now(Runtime& runtime, const Value&, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"format"}, 1, "strftime_now"));
  const MarkedText* format = bound[0]->as_text();
  if (format == nullptr || format->size() > kMaxTimeFormat)
    return type_error("strftime_now needs a short format string");
  const std::time_t now = runtime.now() ? static_cast<std::time_t>(*runtime.now()) : std::time(nullptr);
  std::tm local{};
  if (localtime_r(&now, &local) == nullptr) return type_error("strftime_now: the time is out of range");
  std::array<char, 4096> buffer{};
  const std::size_t n = std::strftime(buffer.data(), buffer.size(), format->bytes().c_str(), &local);
  return runtime.text(MarkedText(std::string(buffer.data(), n), Mark::kTemplate));
}

struct Builtin {
  std::string_view name;
  NativeFunction function;
};
constexpr Builtin kBuiltins[] = {{"range", range},
                                 {"dict", dict},
                                 {"namespace", make_namespace},
                                 {"raise_exception", raise_exception},
                                 {"strftime_now", strftime_now}};

}  // namespace

NativeFunction find_builtin(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kBuiltins), std::end(kBuiltins), [&](const Builtin& b) { return b.name == name; });
  return found == std::end(kBuiltins) ? nullptr : found->function;
}

}  // namespace reckon::chat::jinja
