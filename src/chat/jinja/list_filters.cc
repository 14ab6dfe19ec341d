// Filters that take lists apart, order and choose.
#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/tests.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

bool flag(const Value* value) { return value != nullptr && is_true(*value); }

// The value of an attribute argument: a dotted path, or an index.
Result<Value> attribute_of(Runtime& runtime, const Value& item, const Value* attribute) {
  if (attribute == nullptr || attribute->is_none()) return item;
  if (attribute->as_text() != nullptr) return get_path(runtime, item, attribute->as_text()->bytes());
  return get_item(runtime, item, *attribute);
}

// What a sort compares: strings without their case, unless asked for.
Result<Value> sort_key(Runtime& runtime, const Value& value, bool case_sensitive) {
  const MarkedText* text = value.as_text();
  if (case_sensitive || text == nullptr) return value;
  RECKON_TRY_VOID(runtime.charge_text(text->size()));
  return Value::text(lower(*text));
}

// The keys of one item: `attribute` may name several, with commas between.
Result<Value> sort_keys(Runtime& runtime, const Value& item, const Value* attribute, bool case_sensitive) {
  std::vector<Value> keys;
  if (attribute == nullptr || attribute->is_none() || attribute->as_text() == nullptr) {
    RECKON_TRY(Value key, attribute_of(runtime, item, attribute));
    RECKON_TRY(key, sort_key(runtime, key, case_sensitive));
    keys.push_back(std::move(key));
  } else {
    for (const MarkedText& path : split(*attribute->as_text(), ",", -1)) {
      RECKON_TRY(Value key, get_path(runtime, item, path.bytes()));
      RECKON_TRY(key, sort_key(runtime, key, case_sensitive));
      keys.push_back(std::move(key));
    }
  }
  return runtime.list(std::move(keys), ListKind::kTuple);
}

// A stable sort by keys whose comparison may fail: merges, and stops at the first error.
class Sorter {
 public:
  Sorter(Runtime& runtime, std::vector<std::pair<Value, Value>>& keyed, bool reverse)
      : runtime_(runtime), keyed_(keyed), buffer_(keyed.size()), reverse_(reverse) {}

  Result<void> run() {
    const std::size_t n = keyed_.size();
    for (std::size_t width = 1; width < n; width *= 2) {
      for (std::size_t begin = 0; begin + width < n; begin += 2 * width) {
        RECKON_TRY_VOID(merge(begin, begin + width, std::min(begin + 2 * width, n)));
      }
    }
    return {};
  }

 private:
  Result<void> merge(std::size_t begin, std::size_t middle, std::size_t end) {
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t out = begin; out < end; ++out) {
      bool take_right = left == middle;
      if (!take_right && right < end) {
        const Value& a = keyed_[reverse_ ? left : right].first;
        const Value& b = keyed_[reverse_ ? right : left].first;
        RECKON_TRY(take_right, is_less(runtime_, a, b));
      }
      buffer_[out] = std::move(keyed_[take_right ? right++ : left++]);
    }
    std::move(buffer_.begin() + static_cast<std::ptrdiff_t>(begin), buffer_.begin() + static_cast<std::ptrdiff_t>(end),
              keyed_.begin() + static_cast<std::ptrdiff_t>(begin));
    return {};
  }

  Runtime& runtime_;
  std::vector<std::pair<Value, Value>>& keyed_;
  std::vector<std::pair<Value, Value>> buffer_;
  bool reverse_;
};

Result<Value> sorted(Runtime& runtime, std::vector<std::pair<Value, Value>> keyed, bool reverse) {
  RECKON_TRY_VOID(Sorter(runtime, keyed, reverse).run());
  std::vector<Value> items;
  items.reserve(keyed.size());
  for (auto& [key, item] : keyed) items.push_back(std::move(item));
  return runtime.list(std::move(items));
}

Result<Value> sort_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"reverse", "case_sensitive", "attribute"}, 0, "sort"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : list->items) {
    RECKON_TRY(Value key, sort_keys(runtime, item, bound[2], flag(bound[1])));
    keyed.emplace_back(std::move(key), item);
  }
  return sorted(runtime, std::move(keyed), flag(bound[0]));
}

Result<Value> dictsort_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"case_sensitive", "by", "reverse"}, 0, "dictsort"));
  const std::string by = bound[1] != nullptr && bound[1]->as_text() != nullptr ? bound[1]->as_text()->bytes() : "key";
  if (by != "key" && by != "value") return type_error("dictsort sorts by \"key\" or \"value\"");
  if (value.is_undefined()) return undefined_error(value);
  if (value.as_dict() == nullptr) return type_error(fmt::format("dictsort needs a dict, not {}", value.type_name()));
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [name, held] : value.as_dict()->entries) {
    RECKON_TRY(Value key, sort_key(runtime, by == "key" ? name : held, flag(bound[0])));
    RECKON_TRY(Value pair, runtime.list({name, held}, ListKind::kTuple));
    keyed.emplace_back(std::move(key), std::move(pair));
  }
  return sorted(runtime, std::move(keyed), flag(bound[2]));
}

Result<Value> items_filter(Runtime& runtime, const Value& value, const Args&) {
  std::vector<Value> items;
  if (!value.is_undefined()) {
    if (value.as_dict() == nullptr) return type_error("can only get item pairs from a mapping");
    for (const auto& [name, held] : value.as_dict()->entries) {
      RECKON_TRY(Value pair, runtime.list({name, held}, ListKind::kTuple));
      items.push_back(std::move(pair));
    }
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Result<Value> list_filter(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  return runtime.list(list->items);
}

Result<Value> first_filter(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  return list->items.empty() ? Value::undefined("No first item, sequence was empty.") : list->items.front();
}

Result<Value> last_filter(Runtime& runtime, const Value& value, const Args&) {
  const List* source = value.as_list();
  if (source != nullptr && source->kind == ListKind::kGenerator)
    return type_error("'generator' object is not reversible");
  if (value.is_undefined()) return undefined_error(value);
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  return list->items.empty() ? Value::undefined("No last item, sequence was empty.") : list->items.back();
}

Result<Value> reverse_filter(Runtime& runtime, const Value& value, const Args&) {
  if (value.as_text() != nullptr) return get_slice(runtime, value, Value(), Value(), Value::integer(-1));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  return runtime.list(std::vector<Value>(list->items.rbegin(), list->items.rend()), ListKind::kGenerator);
}

Result<Value> unique_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"case_sensitive", "attribute"}, 0, "unique"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  std::vector<Value> seen;
  std::vector<Value> items;
  for (const Value& item : list->items) {
    RECKON_TRY(Value key, attribute_of(runtime, item, bound[1]));
    RECKON_TRY(key, sort_key(runtime, key, flag(bound[0])));
    if (!is_hashable(key)) return type_error(fmt::format("unhashable type: {}", key.type_name()));
    bool is_new = true;
    for (const Value& other : seen) {
      RECKON_TRY(const bool equal, are_equal(runtime, key, other));
      is_new = is_new && !equal;
    }
    if (!is_new) continue;
    seen.push_back(std::move(key));
    items.push_back(item);
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Result<Value> extreme(Runtime& runtime, const Value& value, const Args& args, bool is_max) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"case_sensitive", "attribute"}, 0, is_max ? "max" : "min"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  if (list->items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  Value best;
  Value best_key;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    RECKON_TRY(Value key, attribute_of(runtime, list->items[i], bound[1]));
    RECKON_TRY(key, sort_key(runtime, key, flag(bound[0])));
    bool better = i == 0;
    if (!better) {
      RECKON_TRY(better, is_max ? is_less(runtime, best_key, key) : is_less(runtime, key, best_key));
    }
    if (!better) continue;
    best = list->items[i];
    best_key = std::move(key);
  }
  return best;
}

Result<Value> min_filter(Runtime& runtime, const Value& value, const Args& args) {
  return extreme(runtime, value, args, false);
}
Result<Value> max_filter(Runtime& runtime, const Value& value, const Args& args) {
  return extreme(runtime, value, args, true);
}

Result<Value> sum_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"attribute", "start"}, 0, "sum"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  Value sum = bound[1] == nullptr ? Value::integer(0) : *bound[1];
  if (sum.as_text() != nullptr) return type_error("sum does not add strings");
  for (const Value& item : list->items) {
    RECKON_TRY(const Value part, attribute_of(runtime, item, bound[0]));
    RECKON_TRY_VOID(runtime.charge(1));
    RECKON_TRY(sum, apply(runtime, BinaryOp::kAdd, sum, part));
  }
  return sum;
}

Result<Value> attr_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"name"}, 1, "attr"));
  if (value.is_undefined()) return undefined_error(value);
  if (bound[0]->as_text() == nullptr) return type_error("attr needs a name");
  if (value.as_dict() != nullptr && find_key(*value.as_dict(), bound[0]->as_text()->bytes()) != nullptr) return Value();
  return get_attribute(runtime, value, bound[0]->as_text()->bytes());
}

Result<Value> map_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  std::vector<Value> items;
  if (args.positional.empty()) {
    RECKON_TRY(const BoundArgs bound, bind_args(args, {"attribute", "default"}, 1, "map"));
    for (const Value& item : list->items) {
      RECKON_TRY(Value mapped, attribute_of(runtime, item, bound[0]));
      const bool replaced = mapped.is_undefined() && bound[1] != nullptr && !bound[1]->is_none();
      items.push_back(replaced ? *bound[1] : std::move(mapped));
    }
    return runtime.list(std::move(items), ListKind::kGenerator);
  }
  const MarkedText* name = args.positional[0].as_text();
  const NativeFunction filter = name == nullptr ? nullptr : find_filter(name->bytes());
  if (filter == nullptr) return type_error("map: there is no filter of that name");
  const Args rest{{args.positional.begin() + 1, args.positional.end()}, args.named};
  for (const Value& item : list->items) {
    RECKON_TRY_VOID(runtime.charge(1));
    if (!runtime.enter_filter()) return fail(ErrorCode::kLimit, "template limit: filters nested too deep");
    Result<Value> mapped = filter(runtime, item, rest);
    runtime.leave_filter();
    if (!mapped) return mapped;
    items.push_back(*std::move(mapped));
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Result<Value> chosen(Runtime& runtime, const Value& value, const Args& args, bool by_attribute, bool wanted) {
  if (!is_true(value)) return runtime.list({}, ListKind::kGenerator);
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  const std::size_t n_before = by_attribute ? 1 : 0;
  if (args.positional.size() < n_before) return type_error("the name of an attribute is missing");
  TestFunction test = nullptr;
  Args rest;
  if (args.positional.size() > n_before) {
    const MarkedText* name = args.positional[n_before].as_text();
    test = name == nullptr ? nullptr : find_test(name->bytes());
    if (test == nullptr) return type_error("there is no test of that name");
    rest.positional.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(n_before) + 1, args.positional.end());
    rest.named = args.named;
  }
  std::vector<Value> items;
  for (const Value& item : list->items) {
    RECKON_TRY_VOID(runtime.charge(1));
    RECKON_TRY(const Value tested, attribute_of(runtime, item, by_attribute ? args.positional.data() : nullptr));
    bool holds = is_true(tested);
    if (test != nullptr) {
      RECKON_TRY(holds, test(runtime, tested, rest));
    }
    if (holds == wanted) items.push_back(item);
  }
  return runtime.list(std::move(items), ListKind::kGenerator);
}

Result<Value> select_filter(Runtime& r, const Value& v, const Args& args) { return chosen(r, v, args, false, true); }
Result<Value> reject_filter(Runtime& r, const Value& v, const Args& args) { return chosen(r, v, args, false, false); }
Result<Value> selectattr_filter(Runtime& r, const Value& v, const Args& args) { return chosen(r, v, args, true, true); }
Result<Value> rejectattr_filter(Runtime& r, const Value& v, const Args& args) {
  return chosen(r, v, args, true, false);
}

Result<Value> batch_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"linecount", "fill_with"}, 1, "batch"));
  std::int64_t size = 0;
  if (!bound[0]->int_like(size) || size < 1) return type_error("batch needs a size of at least 1");
  if (size > static_cast<std::int64_t>(runtime.limits().list_items)) return type_error("batch: the size is absurd");
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  std::vector<Value> batches;
  const auto n = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < list->items.size(); i += n) {
    std::vector<Value> batch(list->items.begin() + static_cast<std::ptrdiff_t>(i),
                             list->items.begin() + static_cast<std::ptrdiff_t>(std::min(i + n, list->items.size())));
    if (bound[1] != nullptr && !bound[1]->is_none()) batch.resize(n, *bound[1]);
    RECKON_TRY(Value made, runtime.list(std::move(batch)));
    batches.push_back(std::move(made));
  }
  return runtime.list(std::move(batches), ListKind::kGenerator);
}

Result<Value> groupby_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"attribute", "default", "case_sensitive"}, 1, "groupby"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : list->items) {
    RECKON_TRY(Value key, attribute_of(runtime, item, bound[0]));
    if (key.is_undefined() && bound[1] != nullptr) key = *bound[1];
    RECKON_TRY(Value folded, sort_key(runtime, key, flag(bound[2])));
    RECKON_TRY(Value pair, runtime.list({key, item}, ListKind::kTuple));
    keyed.emplace_back(std::move(folded), std::move(pair));
  }
  RECKON_TRY_VOID(Sorter(runtime, keyed, false).run());
  std::vector<Value> groups;
  for (std::size_t i = 0; i < keyed.size();) {
    std::vector<Value> members;
    const std::size_t begin = i;
    for (bool same = true; i < keyed.size(); ++i) {
      RECKON_TRY(same, are_equal(runtime, keyed[begin].first, keyed[i].first));
      if (!same) break;
      members.push_back(keyed[i].second.as_list()->items[1]);
    }
    RECKON_TRY(Value made, runtime.list(std::move(members)));
    RECKON_TRY(Value group, runtime.list({keyed[begin].second.as_list()->items[0], std::move(made)}, ListKind::kTuple));
    groups.push_back(std::move(group));
  }
  return runtime.list(std::move(groups));
}

constexpr FilterEntry kFilters[] = {{"sort", sort_filter},
                                    {"dictsort", dictsort_filter},
                                    {"items", items_filter},
                                    {"list", list_filter},
                                    {"first", first_filter},
                                    {"last", last_filter},
                                    {"reverse", reverse_filter},
                                    {"unique", unique_filter},
                                    {"min", min_filter},
                                    {"max", max_filter},
                                    {"sum", sum_filter},
                                    {"attr", attr_filter},
                                    {"map", map_filter},
                                    {"select", select_filter},
                                    {"reject", reject_filter},
                                    {"selectattr", selectattr_filter},
                                    {"rejectattr", rejectattr_filter},
                                    {"batch", batch_filter},
                                    {"groupby", groupby_filter}};

}  // namespace

NativeFunction find_list_filter(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFilters), std::end(kFilters), [&](const FilterEntry& f) { return f.name == name; });
  return found == std::end(kFilters) ? nullptr : found->function;
}

NativeFunction find_filter(std::string_view name) {
  const NativeFunction text_filter = find_text_filter(name);
  return text_filter != nullptr ? text_filter : find_list_filter(name);
}

}  // namespace reckon::chat::jinja
