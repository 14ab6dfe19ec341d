// Filters that give text or numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/methods.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

Result<std::int64_t> integer_or(const Value* value, std::int64_t otherwise, std::string_view filter) {
  std::int64_t number = otherwise;
  if (value != nullptr && !value->int_like(number)) {
    return type_error(fmt::format("{} needs a whole number, not {}", filter, value->type_name()));
  }
  return number;
}

// A filter that is a method of the value's text.
Result<Value> as_method(Runtime& runtime, const Value& value, const Args& args, std::string_view method) {
  RECKON_TRY(TextRef text, to_text(runtime, value));
  return find_text_method(method)(runtime, Value::text(std::move(text), value.is_safe()), args);
}

Result<Value> upper_filter(Runtime& r, const Value& value, const Args& args) {
  return as_method(r, value, args, "upper");
}
Result<Value> lower_filter(Runtime& r, const Value& value, const Args& args) {
  return as_method(r, value, args, "lower");
}
Result<Value> trim_filter(Runtime& r, const Value& value, const Args& args) {
  return as_method(r, value, args, "strip");
}
Result<Value> capitalize_filter(Runtime& r, const Value& v, const Args& args) {
  return as_method(r, v, args, "capitalize");
}

Result<Value> center_filter(Runtime& runtime, const Value& value, const Args& args) {
  Args inner;
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"width"}, 0, "center"));
  inner.positional.push_back(bound[0] == nullptr ? Value::integer(80) : *bound[0]);
  return as_method(runtime, value, inner, "center");
}

Result<Value> title_text(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  RECKON_TRY_VOID(runtime.charge_text(text->size()));
  RECKON_TRY_VOID(runtime.charge_characters(text->size()));
  return runtime.text(title_filter(*text));
}

Result<Value> string_filter(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(TextRef text, to_text(runtime, value));
  return Value::text(std::move(text), value.is_safe());
}

Result<Value> safe_filter(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(TextRef text, to_text(runtime, value));
  return Value::text(std::move(text), true);
}

Result<Value> force_escape(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  RECKON_TRY_VOID(runtime.charge_text(text->size() * 6));
  RECKON_TRY_VOID(runtime.charge_characters(text->size()));
  return Value::text(escape_html(*text), true);
}

Result<Value> escape_filter(Runtime& runtime, const Value& value, const Args& args) {
  return value.is_safe() ? Result<Value>(value) : force_escape(runtime, value, args);
}

Result<Value> replace_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"old", "new", "count"}, 2, "replace"));
  Args inner;
  for (std::size_t i = 0; i < 2; ++i) {
    RECKON_TRY(TextRef text, to_text(runtime, *bound[i]));
    inner.positional.push_back(Value::text(std::move(text)));
  }
  if (bound[2] != nullptr && !bound[2]->is_none()) inner.positional.push_back(*bound[2]);
  RECKON_TRY(TextRef text, to_text(runtime, value));
  return as_method(runtime, Value::text(std::move(text)), inner, "replace");
}

Result<Value> join_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"d", "attribute"}, 0, "join"));
  RECKON_TRY(const ListRef list, items_of(runtime, value));
  const Value* path = bound[1] == nullptr || bound[1]->is_none() ? nullptr : bound[1];
  TextRef separator = std::make_shared<const MarkedText>();
  if (bound[0] != nullptr) {
    RECKON_TRY(separator, to_text(runtime, *bound[0]));
  }
  MarkedText out;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Value item = list->items[i];
    if (path != nullptr && path->as_text() != nullptr) {
      RECKON_TRY(item, get_path(runtime, item, path->as_text()->bytes()));
    } else if (path != nullptr) {
      RECKON_TRY(item, get_item(runtime, item, *path));
    }
    RECKON_TRY(const TextRef part, to_text(runtime, item));
    RECKON_TRY_VOID(runtime.charge(1 + (part->size() + separator->size()) / kBytesPerStep));
    if (i != 0) out.append(*separator);
    out.append(*part);
    if (out.size() > runtime.limits().output_bytes) return std::unexpected(runtime.charge_text(out.size()).error());
  }
  return runtime.text(std::move(out));
}

Result<Value> indent_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"width", "first", "blank"}, 0, "indent"));
  if (value.as_text() == nullptr) {
    return value.is_undefined() ? undefined_error(value)
                                : type_error(fmt::format("indent needs a string, not {}", value.type_name()));
  }
  MarkedText indention;
  if (bound[0] != nullptr && bound[0]->as_text() != nullptr) {
    indention = *bound[0]->as_text();
  } else {
    RECKON_TRY(const std::int64_t width, integer_or(bound[0], 4, "indent"));
    RECKON_TRY_VOID(runtime.charge_text(static_cast<std::size_t>(std::max<std::int64_t>(width, 0))));
    indention =
        MarkedText(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '), Mark::kTemplate);
  }
  const bool first = bound[1] != nullptr && is_true(*bound[1]);
  const bool blank = bound[2] != nullptr && is_true(*bound[2]);
  MarkedText text = *value.as_text();
  text.append("\n", Mark::kTemplate);  // a last line that is empty counts as a line
  RECKON_TRY_VOID(runtime.charge_text(text.size() * 2));
  RECKON_TRY_VOID(runtime.charge_characters(text.size()));
  const std::vector<MarkedText> lines = split_lines(text, false);
  RECKON_TRY_VOID(runtime.charge_text(text.size() + lines.size() * indention.size()));
  MarkedText out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != 0) out.append("\n", Mark::kTemplate);
    if (i == 0 ? first : (blank || !lines[i].empty())) out.append(indention);
    out.append(lines[i]);
  }
  return runtime.text(std::move(out), value.is_safe());
}

Result<Value> truncate_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"length", "killwords", "end", "leeway"}, 0, "truncate"));
  RECKON_TRY(const std::int64_t length, integer_or(bound[0], 255, "truncate"));
  RECKON_TRY(const std::int64_t leeway, integer_or(bound[3], 5, "truncate"));
  const MarkedText end =
      bound[2] != nullptr && bound[2]->as_text() != nullptr ? *bound[2]->as_text() : MarkedText("...", Mark::kTemplate);
  if (value.as_text() == nullptr) return type_error(fmt::format("truncate needs a string, not {}", value.type_name()));
  const MarkedText& text = *value.as_text();
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  RECKON_TRY_VOID(runtime.charge_characters(2 * text.size() + end.size()));
  const auto n_end = static_cast<std::int64_t>(count_characters(end.bytes()));
  if (length < n_end || leeway < 0) return type_error("truncate: the length must have room for the end");
  if (static_cast<std::int64_t>(count_characters(text.bytes())) - leeway <= length) return value;
  MarkedText out = text.slice(0, offset_of(text.bytes(), static_cast<std::size_t>(length - n_end)));
  const std::size_t space = out.bytes().rfind(' ');
  if ((bound[1] == nullptr || !is_true(*bound[1])) && space != std::string::npos) out = out.slice(0, space);
  out.append(end);
  return runtime.text(std::move(out));
}

Result<Value> word_count(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  RECKON_TRY_VOID(runtime.charge_characters(text->size()));
  std::int64_t n = 0;
  bool in_word = false;
  each_character(*text, [&](Character c, std::string_view, std::size_t) {
    const bool is_word = c.valid && (is_alpha(c.code) || is_digit(c.code) || c.code == '_');
    n += is_word && !in_word ? 1 : 0;
    in_word = is_word;
  });
  return Value::integer(n);
}

Result<Value> url_encode(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  RECKON_TRY_VOID(runtime.charge_text(text->size() * 3));
  RECKON_TRY_VOID(runtime.charge_characters(text->size()));
  static constexpr std::string_view kPlain = "_.-~/";
  MarkedText out;
  for (std::size_t i = 0; i < text->size(); ++i) {
    const char c = text->bytes()[i];
    const bool plain = (std::isalnum(static_cast<unsigned char>(c)) != 0) || kPlain.find(c) != std::string_view::npos;
    out.append(plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c)), text->mark_at(i));
  }
  return runtime.text(std::move(out));
}

Result<Value> format_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  if (!args.named.empty() && !args.positional.empty()) return type_error("format takes values by position or by name");
  if (args.named.empty()) {
    RECKON_TRY(const Value values, runtime.list(args.positional, ListKind::kTuple));
    return format_percent(runtime, *text, values);
  }
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [name, item] : args.named) entries.emplace_back(Value::literal(name), item);
  RECKON_TRY(const Value values, runtime.dict(std::move(entries)));
  return format_percent(runtime, *text, values);
}

Result<Value> tojson_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound,
             bind_args(args, {"ensure_ascii", "indent", "separators", "sort_keys"}, 0, "tojson"));
  JsonStyle style;
  style.ensure_ascii = bound[0] != nullptr && is_true(*bound[0]);
  style.sort_keys = bound[3] != nullptr && is_true(*bound[3]);
  std::int64_t width = 0;
  if (bound[1] != nullptr && bound[1]->as_text() != nullptr) {
    style.indent = *bound[1]->as_text();
  } else if (bound[1] != nullptr && bound[1]->int_like(width)) {
    const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(width, 0, 1000));
    style.indent = MarkedText(std::string(n, ' '), Mark::kTemplate);
  }
  style.item_separator = MarkedText(style.indent ? "," : ", ", Mark::kTemplate);
  style.key_separator = MarkedText(": ", Mark::kTemplate);
  if (bound[2] != nullptr && !bound[2]->is_none()) {
    const List* pair = bound[2]->as_list();
    const bool fits = pair != nullptr && pair->items.size() == 2 && pair->items[0].as_text() != nullptr &&
                      pair->items[1].as_text() != nullptr;
    if (!fits) return type_error("tojson: separators must be two strings");
    style.item_separator = *pair->items[0].as_text();
    style.key_separator = *pair->items[1].as_text();
  }
  RECKON_TRY(MarkedText text, to_json(runtime, value, style));
  return Value::text(std::move(text));
}

// int(text, base) of Python; empty where the text is no number.
std::optional<std::int64_t> parse_integer(std::string text, int base) {
  std::erase(text, '_');
  const MarkedText stripped = strip(MarkedText(std::move(text), Mark::kTemplate), Side::kBoth, std::nullopt);
  std::string_view digits = stripped.bytes();
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool prefixed = digits.size() > 2 && digits[0] == '0' &&
                        ((base == 16 && (digits[1] | 0x20) == 'x') || (base == 8 && (digits[1] | 0x20) == 'o') ||
                         (base == 2 && (digits[1] | 0x20) == 'b'));
  if (prefixed) digits.remove_prefix(2);
  std::int64_t number = 0;
  if (digits.starts_with('-')) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return negative ? -number : number;
}

std::optional<double> parse_real(const std::string& text) {
  const MarkedText stripped = strip(MarkedText(text, Mark::kTemplate), Side::kBoth, std::nullopt);
  std::string_view digits = stripped.bytes();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Result<Value> int_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"default", "base"}, 0, "int"));
  RECKON_TRY(const std::int64_t base, integer_or(bound[1], 10, "int"));
  if (value.is_undefined()) return undefined_error(value);
  const Value otherwise = bound[0] == nullptr ? Value::integer(0) : *bound[0];
  std::int64_t integer = 0;
  if (value.int_like(integer)) return Value::integer(integer, value.mark());
  std::optional<double> real;
  Mark mark = value.mark();
  if (value.as_real() != nullptr) {
    real = *value.as_real();
  } else if (const MarkedText* text = value.as_text()) {
    mark = text->mark_at(0);
    if (base < 2 || base > 36) return type_error("int: the base must be 2 to 36");
    RECKON_TRY_VOID(runtime.charge_characters(2 * text->size()));
    if (const auto number = parse_integer(text->bytes(), static_cast<int>(base))) return Value::integer(*number, mark);
    real = parse_real(text->bytes());
  }
  if (!real || !std::isfinite(*real)) return otherwise;
  if (std::fabs(*real) >= 9.2e18) return fail(ErrorCode::kLimit, "template limit: a whole number beyond 64 bits");
  return Value::integer(static_cast<std::int64_t>(*real), mark);
}

Result<Value> float_filter(Runtime& runtime, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"default"}, 0, "float"));
  if (value.is_undefined()) return undefined_error(value);
  double number = 0;
  if (value.number(number)) return Value::real(number, value.mark());
  if (const MarkedText* text = value.as_text()) {
    RECKON_TRY_VOID(runtime.charge_characters(text->size()));
    if (const auto real = parse_real(text->bytes())) return Value::real(*real, text->mark_at(0));
  }
  return bound[0] == nullptr ? Value::real(0) : *bound[0];
}

Result<Value> abs_filter(Runtime&, const Value& value, const Args&) {
  if (value.is_undefined()) return undefined_error(value);
  double number = 0;
  if (!value.number(number)) return type_error(fmt::format("abs needs a number, not {}", value.type_name()));
  return number < 0 ? negate(value) : Result<Value>(value);
}

Result<Value> round_filter(Runtime&, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"precision", "method"}, 0, "round"));
  RECKON_TRY(const std::int64_t precision, integer_or(bound[0], 0, "round"));
  const std::string method =
      bound[1] != nullptr && bound[1]->as_text() != nullptr ? bound[1]->as_text()->bytes() : "common";
  double number = 0;
  if (!value.number(number)) return type_error(fmt::format("round needs a number, not {}", value.type_name()));
  if (method != "common" && method != "ceil" && method != "floor") return type_error("round: common, ceil or floor");
  if (method == "common" && value.as_real() == nullptr && precision >= 0) return value;
  if (std::abs(precision) > 300 || !std::isfinite(number)) return value;
  if (method == "common" && precision >= 0) {  // correctly rounded, half to even, as the digits say
    const std::string digits = fmt::format("{:.{}f}", number, static_cast<int>(precision));
    return Value::real(parse_real(digits).value_or(number), value.mark());
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = number * scale;
  const double rounded = method == "ceil"    ? std::ceil(scaled)
                         : method == "floor" ? std::floor(scaled)
                                             : std::nearbyint(scaled);
  return Value::real(rounded / scale, value.mark());
}

Result<Value> length_filter(Runtime& runtime, const Value& value, const Args&) {
  RECKON_TRY(const std::int64_t length, length_of(runtime, value));
  return Value::integer(length);
}

Result<Value> default_filter(Runtime&, const Value& value, const Args& args) {
  RECKON_TRY(const BoundArgs bound, bind_args(args, {"default_value", "boolean"}, 0, "default"));
  const bool for_false = bound[1] != nullptr && is_true(*bound[1]);
  if (!value.is_undefined() && (!for_false || is_true(value))) return value;
  return bound[0] == nullptr ? Value::text(MarkedText()) : *bound[0];
}

constexpr FilterEntry kFilters[] = {{"upper", upper_filter},       {"lower", lower_filter},
                                    {"trim", trim_filter},         {"capitalize", capitalize_filter},
                                    {"center", center_filter},     {"title", title_text},
                                    {"string", string_filter},     {"safe", safe_filter},
                                    {"escape", escape_filter},     {"e", escape_filter},
                                    {"forceescape", force_escape}, {"replace", replace_filter},
                                    {"join", join_filter},         {"indent", indent_filter},
                                    {"truncate", truncate_filter}, {"wordcount", word_count},
                                    {"urlencode", url_encode},     {"format", format_filter},
                                    {"tojson", tojson_filter},     {"int", int_filter},
                                    {"float", float_filter},       {"abs", abs_filter},
                                    {"round", round_filter},       {"length", length_filter},
                                    {"count", length_filter},      {"default", default_filter},
                                    {"d", default_filter}};

}  // namespace

NativeFunction find_text_filter(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFilters), std::end(kFilters), [&](const FilterEntry& f) { return f.name == name; });
  return found == std::end(kFilters) ? nullptr : found->function;
}

}  // namespace reckon::chat::jinja
