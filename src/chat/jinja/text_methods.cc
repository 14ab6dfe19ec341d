#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/methods.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

const MarkedText& text_of(const Value& self) { return *self.as_text(); }

std::unexpected<Error> wrong_argument(std::string_view method, std::string_view wanted, const Value& got) {
  return type_error(fmt::format("{}() needs {}, not {}", method, wanted, got.type_name()));
}

// An optional argument that is a string or None.
Result<std::optional<std::string_view>> text_or_none(const Value* value, std::string_view method) {
  if (value == nullptr || value->is_none()) return std::nullopt;
  if (value->as_text() == nullptr) return wrong_argument(method, "a string", *value);
  return std::string_view(value->as_text()->bytes());
}

Result<std::int64_t> integer_or(const Value* value, std::int64_t otherwise, std::string_view method) {
  std::int64_t number = otherwise;
  if (value != nullptr && !value->int_like(number)) return wrong_argument(method, "a whole number", *value);
  return number;
}

Result<Value> mapped(Runtime& runtime, const Value& self, const Args& args, MarkedText (*map)(const MarkedText&)) {
  RECKON_TRY(const BoundArgs none, bind_args(args, {}, 0, "str method"));
  RECKON_TRY_VOID(runtime.charge_text(text_of(self).size()));
  RECKON_TRY_VOID(runtime.charge_characters(text_of(self).size()));
  return runtime.text(map(text_of(self)), self.is_safe());
}

Result<Value> upper_method(Runtime& r, const Value& self, const Args& args) { return mapped(r, self, args, upper); }
Result<Value> lower_method(Runtime& r, const Value& self, const Args& args) { return mapped(r, self, args, lower); }
Result<Value> title_method(Runtime& r, const Value& self, const Args& args) { return mapped(r, self, args, title); }
Result<Value> swapcase_method(Runtime& r, const Value& self, const Args& args) {
  return mapped(r, self, args, swap_case);
}
Result<Value> capitalize_method(Runtime& r, const Value& self, const Args& args) {
  return mapped(r, self, args, capitalize);
}

Result<Value> stripped(Runtime& runtime, const Value& self, const Args& args, Side side, std::string_view method) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"chars"}, 0, method));
  RECKON_TRY(const auto chars, text_or_none(bound[0], method));
  if (chars) RECKON_TRY_VOID(runtime.charge(text_of(self).size() / kBytesPerStep * (chars->size() / kBytesPerStep)));
  MarkedText rest = strip(text_of(self), side, chars);
  // Only what is stripped is looked at, and that is little for most texts.
  RECKON_TRY_VOID(runtime.charge_characters(text_of(self).size() - rest.size()));
  return runtime.text(std::move(rest), self.is_safe());
}

Result<Value> strip_method(Runtime& r, const Value& self, const Args& args) {
  return stripped(r, self, args, Side::kBoth, "strip");
}
Result<Value> lstrip_method(Runtime& r, const Value& self, const Args& args) {
  return stripped(r, self, args, Side::kLeft, "lstrip");
}
Result<Value> rstrip_method(Runtime& r, const Value& self, const Args& args) {
  return stripped(r, self, args, Side::kRight, "rstrip");
}

// The part of the text between the optional start and end of startswith, find and the like; its byte offset.
struct Window {
  std::size_t begin;
  std::string_view text;
  bool is_valid;
};

Result<Window> window(Runtime& runtime, const Value& self, const Value* start, const Value* end,
                      std::string_view method) {
  const std::string_view bytes = text_of(self).bytes();
  RECKON_TRY_VOID(runtime.charge(bytes.size() / kBytesPerStep + 1));
  if ((start == nullptr || start->is_none()) && (end == nullptr || end->is_none())) return Window{0, bytes, true};
  RECKON_TRY_VOID(runtime.charge_characters(bytes.size()));
  const auto n = static_cast<std::int64_t>(count_characters(bytes));
  const auto at = [&](const Value* value, std::int64_t otherwise) -> Result<std::int64_t> {
    if (value == nullptr || value->is_none()) return otherwise;
    RECKON_TRY(const std::int64_t index, integer_or(value, otherwise, method));
    return index < 0 ? std::max<std::int64_t>(std::max(index, -n) + n, 0) : index;
  };
  RECKON_TRY(const std::int64_t first, at(start, 0));
  RECKON_TRY(const std::int64_t last, at(end, n));
  if (first > n || last < first) return Window{0, {}, false};
  const std::size_t begin = offset_of(bytes, static_cast<std::size_t>(first));
  const std::size_t stop = offset_of(bytes, static_cast<std::size_t>(std::min(last, n)));
  return Window{begin, bytes.substr(begin, stop - begin), true};
}

Result<Value> affix(Runtime& runtime, const Value& self, const Args& args, bool at_start) {
  const std::string_view method = at_start ? "startswith" : "endswith";
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"prefix", "start", "end"}, 1, method));
  RECKON_TRY(const Window part, window(runtime, self, bound[1], bound[2], method));
  const auto fits = [&](const Value& affix_value) {
    const std::string& bytes = affix_value.as_text()->bytes();
    return part.is_valid && (at_start ? part.text.starts_with(bytes) : part.text.ends_with(bytes));
  };
  if (bound[0]->as_text() != nullptr) return Value::boolean(fits(*bound[0]));
  const List* list = bound[0]->as_list();
  if (list == nullptr || list->kind != ListKind::kTuple)
    return wrong_argument(method, "a string or a tuple", *bound[0]);
  for (const Value& item : list->items) {
    if (item.as_text() == nullptr) return wrong_argument(method, "strings", item);
    RECKON_TRY_VOID(runtime.charge(1 + item.as_text()->size() / kBytesPerStep));
    if (fits(item)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Result<Value> startswith(Runtime& r, const Value& self, const Args& args) { return affix(r, self, args, true); }
Result<Value> endswith(Runtime& r, const Value& self, const Args& args) { return affix(r, self, args, false); }

Result<Value> texts(Runtime& runtime, std::vector<MarkedText> parts, bool is_safe, ListKind kind = ListKind::kList) {
  std::vector<Value> items;
  items.reserve(parts.size());
  for (MarkedText& part : parts) items.push_back(Value::text(std::move(part), is_safe));
  return runtime.list(std::move(items), kind);
}

Result<Value> split_text(Runtime& runtime, const Value& self, const Args& args, bool from_right) {
  const std::string_view method = from_right ? "rsplit" : "split";
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"sep", "maxsplit"}, 0, method));
  RECKON_TRY(const auto separator, text_or_none(bound[0], method));
  RECKON_TRY(std::int64_t n_max, integer_or(bound[1], -1, method));
  // One part more than a list may have is enough to be refused.
  const auto n_items = static_cast<std::int64_t>(runtime.limits().list_items);
  if (n_max < 0 || n_max > n_items) n_max = n_items;
  if (separator && separator->empty()) return type_error("empty separator");
  const MarkedText& text = text_of(self);
  const std::size_t n_parts = std::min(separator ? count_of(text.bytes(), *separator) + 1 : text.size() / 2 + 1,
                                       static_cast<std::size_t>(n_max) + 1);
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  RECKON_TRY_VOID(runtime.charge(n_parts * (separator ? kStepsPerObject : 1)));
  if (from_right && separator) {  // a search from the right is not linear
    RECKON_TRY_VOID(runtime.charge(text.size() / kBytesPerStep * (separator->size() / kBytesPerStep)));
  }
  return texts(runtime, from_right ? split_right(text, separator, n_max) : split(text, separator, n_max),
               self.is_safe());
}

Result<Value> split_method(Runtime& r, const Value& self, const Args& args) { return split_text(r, self, args, false); }
Result<Value> rsplit_method(Runtime& r, const Value& self, const Args& args) { return split_text(r, self, args, true); }

Result<Value> splitlines_method(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"keepends"}, 0, "splitlines"));
  RECKON_TRY(const std::int64_t keep, integer_or(bound[0], 0, "splitlines"));
  RECKON_TRY_VOID(runtime.charge_text(text_of(self).size() * 2));
  RECKON_TRY_VOID(runtime.charge_characters(text_of(self).size()));
  return texts(runtime, split_lines(text_of(self), keep != 0), self.is_safe());
}

Result<Value> replace_method(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"old", "new", "count"}, 2, "replace"));
  for (int i = 0; i < 2; ++i) {
    const Value& value = *bound[static_cast<std::size_t>(i)];
    if (value.as_text() == nullptr) return wrong_argument("replace", "strings", value);
  }
  RECKON_TRY(const std::int64_t n_max, integer_or(bound[2], -1, "replace"));
  const MarkedText& text = text_of(self);
  const std::string_view old = bound[0]->as_text()->bytes();
  const MarkedText& by = *bound[1]->as_text();
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  const std::size_t n_found = count_of(text.bytes(), old);
  RECKON_TRY_VOID(runtime.charge(n_found));
  RECKON_TRY_VOID(runtime.charge_text(text.size() + n_found * by.size()));
  return runtime.text(replace(text, old, by, n_max), self.is_safe());
}

Result<Value> join_method(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"iterable"}, 1, "join"));
  RECKON_TRY(const ListRef list, items_of(runtime, *bound[0]));
  MarkedText out;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const MarkedText* part = list->items[i].as_text();
    if (part == nullptr) return wrong_argument("join", "strings", list->items[i]);
    RECKON_TRY_VOID(runtime.charge(1 + part->size() / kBytesPerStep));
    if (i != 0) out.append(text_of(self));
    out.append(*part);
    if (out.size() > runtime.limits().output_bytes) return std::unexpected(runtime.charge_text(out.size()).error());
  }
  return runtime.text(std::move(out), self.is_safe());
}

Result<Value> found_at(Runtime& runtime, const Value& self, const Args& args, std::string_view method, bool from_right,
                       bool must_exist) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"sub", "start", "end"}, 1, method));
  if (bound[0]->as_text() == nullptr) return wrong_argument(method, "a string", *bound[0]);
  RECKON_TRY(const Window part, window(runtime, self, bound[1], bound[2], method));
  const std::string& needle = bound[0]->as_text()->bytes();
  std::size_t at = std::string_view::npos;
  if (part.is_valid) {
    if (from_right) {
      RECKON_TRY_VOID(runtime.charge(part.text.size() / kBytesPerStep * (1 + needle.size() / kBytesPerStep)));
      at = part.text.rfind(needle);
    } else {
      at = find_bytes(part.text, needle, 0);
    }
  }
  if (at == std::string_view::npos) {
    if (must_exist) return type_error("substring not found");
    return Value::integer(-1);
  }
  RECKON_TRY_VOID(runtime.charge_characters(part.begin + at));
  const std::string_view before = std::string_view(text_of(self).bytes()).substr(0, part.begin + at);
  return Value::integer(static_cast<std::int64_t>(count_characters(before)));
}

Result<Value> find_method_(Runtime& r, const Value& s, const Args& a) {
  return found_at(r, s, a, "find", false, false);
}
Result<Value> rfind_method(Runtime& r, const Value& s, const Args& a) {
  return found_at(r, s, a, "rfind", true, false);
}
Result<Value> index_method(Runtime& r, const Value& s, const Args& a) {
  return found_at(r, s, a, "index", false, true);
}
Result<Value> rindex_method(Runtime& r, const Value& s, const Args& a) {
  return found_at(r, s, a, "rindex", true, true);
}

Result<Value> count_method(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"sub", "start", "end"}, 1, "count"));
  if (bound[0]->as_text() == nullptr) return wrong_argument("count", "a string", *bound[0]);
  RECKON_TRY(const Window part, window(runtime, self, bound[1], bound[2], "count"));
  if (!part.is_valid) return Value::integer(0);
  const std::size_t n = count_of(part.text, bound[0]->as_text()->bytes());
  RECKON_TRY_VOID(runtime.charge(n));
  return Value::integer(static_cast<std::int64_t>(n));
}

Result<Value> format_method(Runtime& runtime, const Value& self, const Args& args) {
  return format_braces(runtime, text_of(self), args);
}

// True where there is a character and every one of them fits.
Result<Value> all_characters(Runtime& runtime, const Value& self, bool (*fits)(char32_t)) {
  RECKON_TRY_VOID(runtime.charge_characters(text_of(self).size()));
  bool all = !text_of(self).empty();
  each_character(text_of(self),
                 [&](Character c, std::string_view, std::size_t) { all = all && c.valid && fits(c.code); });
  return Value::boolean(all);
}

Result<Value> isdigit(Runtime& r, const Value& self, const Args&) { return all_characters(r, self, is_digit); }
Result<Value> isalpha(Runtime& r, const Value& self, const Args&) { return all_characters(r, self, is_alpha); }
Result<Value> isspace(Runtime& r, const Value& self, const Args&) { return all_characters(r, self, is_space); }
Result<Value> isalnum(Runtime& r, const Value& self, const Args&) {
  return all_characters(r, self, [](char32_t c) { return is_alpha(c) || is_digit(c); });
}
Result<Value> isprintable(Runtime& r, const Value& self, const Args&) {
  if (text_of(self).empty()) return Value::boolean(true);
  return all_characters(r, self, is_printable);
}
Result<Value> isascii(Runtime& r, const Value& self, const Args&) {
  if (text_of(self).empty()) return Value::boolean(true);
  return all_characters(r, self, [](char32_t c) { return c < 0x80; });
}

// At least one letter with a case, and none of the other case.
Result<Value> cased(Runtime& runtime, const Value& self, bool (*wanted)(char32_t), bool (*other)(char32_t)) {
  RECKON_TRY_VOID(runtime.charge_characters(text_of(self).size()));
  bool some = false;
  bool none_other = true;
  each_character(text_of(self), [&](Character c, std::string_view, std::size_t) {
    some = some || wanted(c.code);
    none_other = none_other && !other(c.code);
  });
  return Value::boolean(some && none_other);
}

Result<Value> isupper(Runtime& r, const Value& self, const Args&) { return cased(r, self, is_upper, is_lower); }
Result<Value> islower(Runtime& r, const Value& self, const Args&) { return cased(r, self, is_lower, is_upper); }

Result<Value> remove_affix(Runtime& runtime, const Value& self, const Args& args, bool at_start) {
  const std::string_view method = at_start ? "removeprefix" : "removesuffix";
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"affix"}, 1, method));
  if (bound[0]->as_text() == nullptr) return wrong_argument(method, "a string", *bound[0]);
  const MarkedText& text = text_of(self);
  const std::string& affix_bytes = bound[0]->as_text()->bytes();
  if (at_start ? !text.bytes().starts_with(affix_bytes) : !text.bytes().ends_with(affix_bytes)) return self;
  const std::size_t n = affix_bytes.size();
  return runtime.text(at_start ? text.slice(n, text.size()) : text.slice(0, text.size() - n), self.is_safe());
}

Result<Value> removeprefix(Runtime& r, const Value& self, const Args& args) {
  return remove_affix(r, self, args, true);
}
Result<Value> removesuffix(Runtime& r, const Value& self, const Args& args) {
  return remove_affix(r, self, args, false);
}

Result<Value> parted(Runtime& runtime, const Value& self, const Args& args, bool from_right) {
  const std::string_view method = from_right ? "rpartition" : "partition";
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"sep"}, 1, method));
  const MarkedText* separator = bound[0]->as_text();
  if (separator == nullptr || separator->empty()) return wrong_argument(method, "a separator", *bound[0]);
  const MarkedText& text = text_of(self);
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  if (from_right) RECKON_TRY_VOID(runtime.charge(text.size() / kBytesPerStep * (separator->size() / kBytesPerStep)));
  const std::size_t at =
      from_right ? text.bytes().rfind(separator->bytes()) : find_bytes(text.bytes(), separator->bytes(), 0);
  std::vector<MarkedText> parts(3);
  if (at == std::string::npos) {
    parts[from_right ? 2 : 0] = text;
  } else {
    parts[0] = text.slice(0, at);
    parts[1] = *separator;
    parts[2] = text.slice(at + separator->size(), text.size());
  }
  return texts(runtime, std::move(parts), self.is_safe(), ListKind::kTuple);
}

Result<Value> partition(Runtime& r, const Value& self, const Args& args) { return parted(r, self, args, false); }
Result<Value> rpartition(Runtime& r, const Value& self, const Args& args) { return parted(r, self, args, true); }

enum class Justify : std::uint8_t { kLeft, kRight, kCenter };

Result<Value> justified(Runtime& runtime, const Value& self, const Args& args, Justify how) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"width", "fillchar"}, 1, "ljust, rjust or center"));
  RECKON_TRY(const std::int64_t width, integer_or(bound[0], 0, "ljust, rjust or center"));
  const MarkedText fill =
      bound[1] != nullptr && bound[1]->as_text() != nullptr ? *bound[1]->as_text() : MarkedText(" ", Mark::kTemplate);
  if (count_characters(fill.bytes()) != 1) return type_error("the fill character must be one character");
  const MarkedText& text = text_of(self);
  RECKON_TRY_VOID(runtime.charge_characters(text.size()));
  const auto n = static_cast<std::int64_t>(count_characters(text.bytes()));
  if (width <= n) return self;
  const auto missing = static_cast<std::size_t>(width - n);
  if (missing > runtime.limits().output_bytes) return std::unexpected(runtime.charge_text(missing).error());
  RECKON_TRY_VOID(runtime.charge_text(text.size() + missing * fill.size()));
  RECKON_TRY_VOID(runtime.charge_characters(missing));
  const std::size_t center_left = missing / 2 + (missing & static_cast<std::size_t>(width) & 1);
  const std::size_t left = how == Justify::kLeft ? 0 : how == Justify::kRight ? missing : center_left;
  MarkedText out;
  for (std::size_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (std::size_t i = left; i < missing; ++i) out.append(fill);
  return Value::text(std::move(out), self.is_safe());
}

Result<Value> ljust(Runtime& r, const Value& self, const Args& args) {
  return justified(r, self, args, Justify::kLeft);
}
Result<Value> rjust(Runtime& r, const Value& self, const Args& args) {
  return justified(r, self, args, Justify::kRight);
}
Result<Value> center(Runtime& r, const Value& self, const Args& args) {
  return justified(r, self, args, Justify::kCenter);
}

Result<Value> zfill(Runtime& runtime, const Value& self, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"width"}, 1, "zfill"));
  const MarkedText& text = text_of(self);
  const bool is_signed = text.bytes().starts_with('-') || text.bytes().starts_with('+');
  Args inner;
  inner.positional = {Value::integer(0), Value::literal("0")};
  RECKON_TRY(const std::int64_t width, integer_or(bound[0], 0, "zfill"));
  inner.positional[0] = Value::integer(is_signed ? std::max<std::int64_t>(width, 1) - 1 : width);
  RECKON_TRY(const Value digits, runtime.text(text.slice(is_signed ? 1 : 0, text.size())));
  RECKON_TRY(const Value padded, justified(runtime, digits, inner, Justify::kRight));
  MarkedText out = text.slice(0, is_signed ? 1 : 0);
  out.append(*padded.as_text());
  return runtime.text(std::move(out), self.is_safe());
}

Result<Value> not_offered(Runtime&, const Value&, const Args&) {
  return fail(ErrorCode::kUnsupported, "this string method is not supported in chat templates");
}

constexpr MethodEntry kMethods[] = {{"upper", upper_method},
                                    {"lower", lower_method},
                                    {"casefold", lower_method},
                                    {"title", title_method},
                                    {"swapcase", swapcase_method},
                                    {"capitalize", capitalize_method},
                                    {"strip", strip_method},
                                    {"lstrip", lstrip_method},
                                    {"rstrip", rstrip_method},
                                    {"startswith", startswith},
                                    {"endswith", endswith},
                                    {"split", split_method},
                                    {"rsplit", rsplit_method},
                                    {"splitlines", splitlines_method},
                                    {"replace", replace_method},
                                    {"join", join_method},
                                    {"find", find_method_},
                                    {"rfind", rfind_method},
                                    {"index", index_method},
                                    {"rindex", rindex_method},
                                    {"count", count_method},
                                    {"format", format_method},
                                    {"isdigit", isdigit},
                                    {"isdecimal", isdigit},
                                    {"isnumeric", isdigit},
                                    {"isalpha", isalpha},
                                    {"isalnum", isalnum},
                                    {"isspace", isspace},
                                    {"isprintable", isprintable},
                                    {"isascii", isascii},
                                    {"isupper", isupper},
                                    {"islower", islower},
                                    {"removeprefix", removeprefix},
                                    {"removesuffix", removesuffix},
                                    {"partition", partition},
                                    {"rpartition", rpartition},
                                    {"ljust", ljust},
                                    {"rjust", rjust},
                                    {"center", center},
                                    {"zfill", zfill},
                                    {"encode", not_offered},
                                    {"expandtabs", not_offered},
                                    {"format_map", not_offered},
                                    {"translate", not_offered},
                                    {"maketrans", not_offered},
                                    {"istitle", not_offered},
                                    {"isidentifier", not_offered}};

}  // namespace

NativeFunction find_text_method(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](const MethodEntry& m) { return m.name == name; });
  return found == std::end(kMethods) ? nullptr : found->function;
}

}  // namespace reckon::chat::jinja
