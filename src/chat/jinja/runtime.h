#pragma once
// What one render shares: its budget of steps, the objects that live until its end, the time.
// Owner: the interpreter. Thread: one render.

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/limits.h"
#include "chat/jinja/value.h"
#include "reckon/result.h"

namespace reckon::chat::jinja {

[[nodiscard]] std::unexpected<Error> type_error(std::string message);

class Runtime {
 public:
  Runtime(const Limits& limits, std::optional<std::int64_t> now)
      : limits_(limits), now_(now), steps_left_(limits.steps) {}
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] std::optional<std::int64_t> now() const { return now_; }

  // kLimit once the steps are used up.
  [[nodiscard]] Result<void> charge(std::size_t steps);
  // The cost of a string of this size that is about to be made; kLimit for one that is too long.
  [[nodiscard]] Result<void> charge_text(std::size_t bytes);

  // The cost of looking at each character of a text of this size.
  [[nodiscard]] Result<void> charge_characters(std::size_t bytes);

  // New values, charged and checked.
  [[nodiscard]] Result<Value> text(MarkedText text, bool is_safe = false);
  [[nodiscard]] Result<Value> list(std::vector<Value> items, ListKind kind = ListKind::kList);
  [[nodiscard]] Result<Value> dict(std::vector<std::pair<Value, Value>> entries);  // keys are distinct already
  [[nodiscard]] Result<Value> method(std::string_view name, NativeFunction function, Value self);
  [[nodiscard]] Result<Namespace*> new_namespace();

  // Filters that call filters: true while there is room for one more inside.
  [[nodiscard]] bool enter_filter() { return ++n_filters_ <= kMaxNestedFilters; }
  void leave_filter() { --n_filters_; }

 private:
  static constexpr int kMaxNestedFilters = 32;

  const Limits limits_;
  const std::optional<std::int64_t> now_;
  std::size_t steps_left_;
  int n_filters_ = 0;
  std::deque<Namespace> namespaces_;
};

// The arguments of a native function, by position or by name; null where one was not given.
// kInvalidInput for one too many, an unknown name, or a required one that is missing.
inline constexpr std::size_t kMaxParameters = 6;
using BoundArgs = std::vector<const Value*>;
[[nodiscard]] Result<BoundArgs> bind_args(const Args& args, std::initializer_list<std::string_view> names,
                                          std::size_t n_required, std::string_view function);

}  // namespace reckon::chat::jinja
