// printf-style and brace-style formatting of Python strings.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/result.h"
#include "chat/jinja/access.h"
#include "chat/jinja/compare.h"
#include "chat/jinja/operators.h"
#include "chat/jinja/print.h"
#include "chat/jinja/text_ops.h"

namespace reckon::chat::jinja {
namespace {

constexpr std::size_t kMaxWidth = 100'000;

struct Spec {
  char fill = ' ';
  char align = 0;  // < > ^ =, 0: as the type does
  char sign = '-';
  bool alternate = false;
  bool grouped = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  char type = 0;
};

// A decimal number at `i`, moved past it; empty where there is none or it is absurd.
std::optional<std::size_t> read_number(std::string_view text, std::size_t& i) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
  if (error != std::errc() || number > kMaxWidth) return std::nullopt;
  i = static_cast<std::size_t>(end - text.data());
  return number;
}

bool at_digit(std::string_view text, std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; }

MarkedText padded(const MarkedText& text, const Spec& spec, char default_align) {
  const std::size_t n = count_characters(text.bytes());
  if (n >= spec.width) return text;
  const std::size_t missing = spec.width - n;
  const char align = spec.align != 0 ? spec.align : default_align;
  const std::size_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  MarkedText out;
  if (align == '=' && !text.empty() && (text.bytes()[0] == '-' || text.bytes()[0] == '+')) {
    out.append(text, 0, 1);
    out.append(std::string(missing, spec.fill), Mark::kTemplate);
    out.append(text, 1, text.size());
    return out;
  }
  out.append(std::string(left, spec.fill), Mark::kTemplate);
  out.append(text);
  out.append(std::string(missing - left, spec.fill), Mark::kTemplate);
  return out;
}

std::string grouped(std::string digits) {
  const std::size_t first = digits.find_first_of("0123456789");
  std::size_t end = digits.find_first_not_of("0123456789", first);
  if (end == std::string::npos) end = digits.size();
  for (std::size_t i = end; i > first + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string with_sign(std::string digits, bool negative, char sign) {
  if (negative)
    sign = '-';
  else if (sign == '-')
    return digits;
  std::string out(1, sign);
  out += digits;
  return out;
}

Result<std::string> integer_text(std::int64_t number, const Spec& spec) {
  const auto magnitude = number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  std::string digits;
  switch (spec.type) {
    case 'x':
      digits = fmt::format("{}{:x}", spec.alternate ? "0x" : "", magnitude);
      break;
    case 'X':
      digits = fmt::format("{}{:X}", spec.alternate ? "0X" : "", magnitude);
      break;
    case 'o':
      digits = fmt::format("{}{:o}", spec.alternate ? "0o" : "", magnitude);
      break;
    case 'b':
      digits = fmt::format("{}{:b}", spec.alternate ? "0b" : "", magnitude);
      break;
    default:
      digits = fmt::format("{}", magnitude);
  }
  if (spec.grouped) digits = grouped(digits);
  return with_sign(digits, number < 0, spec.sign);
}

Result<std::string> real_text(double number, const Spec& spec) {
  const double magnitude = std::fabs(number);
  const int precision = static_cast<int>(std::min<std::size_t>(spec.precision.value_or(6), 350));
  std::string digits;
  switch (spec.type) {
    case 'e':
      digits = fmt::format("{:.{}e}", magnitude, precision);
      break;
    case 'E':
      digits = fmt::format("{:.{}E}", magnitude, precision);
      break;
    case 'g':
    case 'G':
      digits = fmt::format("{:.{}g}", magnitude, std::max(precision, 1));
      break;
    case '%':
      digits = fmt::format("{:.{}f}%", magnitude * 100, precision);
      break;
    case 0:
      digits = spec.precision ? fmt::format("{:.{}g}", magnitude, std::max(precision, 1)) : real_repr(magnitude);
      break;
    default:
      digits = fmt::format("{:.{}f}", magnitude, precision);
  }
  if (spec.grouped) digits = grouped(digits);
  return with_sign(digits, std::signbit(number), spec.sign);
}

Result<MarkedText> formatted(Runtime& runtime, const Value& value, const Spec& spec) {
  static constexpr std::string_view kRealTypes = "eEfFgG%";
  const bool as_real = spec.type != 0 && kRealTypes.find(spec.type) != std::string_view::npos;
  std::int64_t integer = 0;
  double real = 0;
  const bool plain_bool = value.as_bool() != nullptr && spec.type == 0;
  if (value.as_real() != nullptr || (as_real && value.number(real))) {
    value.number(real);
    if (spec.type == 'd' || spec.type == 's') return type_error("this format does not take a float");
    RECKON_TRY(std::string digits, real_text(real, spec));
    return padded(MarkedText(std::move(digits), value.mark()), spec, '>');
  }
  if (!plain_bool && value.int_like(integer)) {
    if (spec.type == 's') return type_error("this format does not take an int");
    RECKON_TRY(std::string digits, integer_text(integer, spec));
    return padded(MarkedText(std::move(digits), value.mark()), spec, '>');
  }
  if (spec.type != 0 && spec.type != 's') {
    return type_error(fmt::format("format '{}' needs a number, not {}", spec.type, value.type_name()));
  }
  RECKON_TRY(const TextRef text, to_text(runtime, value));
  MarkedText part = *text;
  if (spec.precision) part = part.slice(0, offset_of(part.bytes(), *spec.precision));
  return padded(part, spec, '<');
}

// [[fill]align][sign][#][0][width][,][.precision][type]
Result<Spec> parse_spec(std::string_view text) {
  Spec spec;
  std::size_t i = 0;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (text.size() >= 2 && is_align(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    i = 2;
  } else if (!text.empty() && is_align(text[0])) {
    spec.align = text[0];
    i = 1;
  }
  if (i < text.size() && (text[i] == '+' || text[i] == '-' || text[i] == ' ')) spec.sign = text[i++];
  if (i < text.size() && text[i] == '#') spec.alternate = text[i++] == '#';
  if (i < text.size() && text[i] == '0') {
    if (spec.align == 0) {
      spec.align = '=';
      spec.fill = '0';
    }
    ++i;
  }
  const auto bad = [&] { return type_error(fmt::format("invalid format '{}'", text)); };
  if (at_digit(text, i)) {
    const auto width = read_number(text, i);
    if (!width) return bad();
    spec.width = *width;
  }
  if (i < text.size() && text[i] == ',') spec.grouped = text[i++] == ',';
  if (i < text.size() && text[i] == '.') {
    spec.precision = read_number(text, ++i);
    if (!spec.precision) return bad();
  }
  if (i < text.size()) spec.type = text[i++];
  if (i != text.size()) return bad();
  return spec;
}

// %[(name)][flags][width][.precision]type
struct PercentItem {
  std::optional<std::string_view> name;
  Spec spec;
  bool left = false;
};

Result<PercentItem> parse_percent(std::string_view text, std::size_t& i) {
  PercentItem item;
  if (i < text.size() && text[i] == '(') {
    const std::size_t close = text.find(')', i);
    if (close == std::string_view::npos) return type_error("incomplete format key");
    item.name = text.substr(i + 1, close - i - 1);
    i = close + 1;
  }
  for (; i < text.size() && std::string_view("-+ #0").find(text[i]) != std::string_view::npos; ++i) {
    if (text[i] == '-') item.left = true;
    if (text[i] == '+' || (text[i] == ' ' && item.spec.sign != '+')) item.spec.sign = text[i];
    if (text[i] == '#') item.spec.alternate = true;
    if (text[i] == '0') item.spec.fill = '0';
  }
  if (at_digit(text, i)) {
    const auto width = read_number(text, i);
    if (!width) return type_error("a format asks for an absurd width");
    item.spec.width = *width;
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    item.spec.precision = at_digit(text, i) ? read_number(text, i) : std::optional<std::size_t>(0);
    if (!item.spec.precision) return type_error("a format asks for an absurd precision");
  }
  if (i >= text.size()) return type_error("incomplete format");
  item.spec.type = text[i++];
  return item;
}

Result<MarkedText> percent_item(Runtime& runtime, const Value& value, PercentItem item) {
  Spec spec = item.spec;
  spec.align = item.left ? '<' : spec.fill == '0' ? '=' : '>';
  if (item.left) spec.fill = ' ';
  double number = 0;
  switch (spec.type) {
    case 's':
    case 'r': {
      spec.fill = ' ';
      spec.align = item.left ? '<' : '>';
      MarkedText text;
      if (spec.type == 's') {
        RECKON_TRY(const TextRef plain, to_text(runtime, value));
        text = *plain;
      } else {
        RECKON_TRY(text, to_repr(runtime, value));
      }
      if (spec.precision) text = text.slice(0, offset_of(text.bytes(), *spec.precision));
      return padded(text, spec, '>');
    }
    case 'd':
    case 'i':
    case 'u': {
      if (!value.number(number)) return type_error(fmt::format("%d needs a number, not {}", value.type_name()));
      if (std::fabs(number) >= 9.2e18) return fail(ErrorCode::kLimit, "template limit: a whole number beyond 64 bits");
      std::int64_t integer = static_cast<std::int64_t>(number);
      value.int_like(integer);
      spec.type = 'd';
      spec.precision.reset();
      return formatted(runtime, Value::integer(integer, value.mark()), spec);
    }
    case 'x':
    case 'X':
    case 'o':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      if (!value.number(number)) return type_error(fmt::format("a number is needed, not {}", value.type_name()));
      return formatted(runtime, value, spec);
    default:
      return type_error(fmt::format("unsupported format character '{}'", spec.type));
  }
}

}  // namespace

Result<Value> format_percent(Runtime& runtime, const MarkedText& text, const Value& values) {
  const List* list = values.as_list();
  const bool is_tuple = list != nullptr && list->kind == ListKind::kTuple;
  const std::size_t n_values = is_tuple ? list->items.size() : 1;
  std::size_t n_used = 0;
  MarkedText out;
  const std::string_view bytes = text.bytes();
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t percent = std::min(bytes.find('%', i), bytes.size());
    out.append(text, i, percent);
    if (percent == bytes.size()) break;
    i = percent + 1;
    if (i < bytes.size() && bytes[i] == '%') {
      out.append("%", text.mark_at(i++));
      continue;
    }
    RECKON_TRY(const PercentItem item, parse_percent(bytes, i));
    Value value;
    if (item.name) {
      if (values.as_dict() == nullptr) return type_error("a format with names needs a mapping");
      const Value* found = find_key(*values.as_dict(), *item.name);
      if (found == nullptr) return type_error(fmt::format("no value for the format key '{}'", *item.name));
      value = *found;
      n_used = n_values;
    } else {
      if (n_used >= n_values) return type_error("not enough arguments for the format string");
      value = is_tuple ? list->items[n_used] : values;
      ++n_used;
    }
    RECKON_TRY(const MarkedText part, percent_item(runtime, value, item));
    RECKON_TRY_VOID(runtime.charge_text(out.size() + part.size()));
    out.append(part);
  }
  if (n_used < n_values && values.as_dict() == nullptr && (is_tuple || list == nullptr)) {
    return type_error("not all arguments are used by the format string");
  }
  return runtime.text(std::move(out));
}

namespace {

// How the fields so far were numbered: `{}` and `{0}` do not mix.
struct FieldCount {
  std::size_t n_next = 0;
  bool is_automatic = false;
  bool is_manual = false;
};

// What a replacement field names: a number, a name, or nothing for the next one; then .attribute and [item].
Result<Value> field_value(Runtime& runtime, std::string_view field, const Args& args, FieldCount& count) {
  const std::size_t end = std::min(field.find_first_of(".["), field.size());
  const std::string_view head = field.substr(0, end);
  Value value;
  std::size_t i = 0;
  if (head.empty() || at_digit(head, 0)) {
    count.is_automatic |= head.empty();
    count.is_manual |= !head.empty();
    if (count.is_automatic && count.is_manual) return type_error("a format string numbers some fields and not others");
    std::size_t index = count.n_next++;
    if (!head.empty()) {
      const auto number = read_number(head, i);
      if (!number || i != head.size()) return type_error("bad field number in a format string");
      index = *number;
    }
    if (index >= args.positional.size()) return type_error("not enough arguments for the format string");
    value = args.positional[index];
  } else {
    const auto found =
        std::find_if(args.named.begin(), args.named.end(), [&](const auto& n) { return n.first == head; });
    if (found == args.named.end()) return type_error(fmt::format("no value for the format field '{}'", head));
    value = found->second;
  }
  std::string_view rest = field.substr(end);
  while (!rest.empty()) {
    const bool is_item = rest[0] == '[';
    const std::size_t stop = is_item ? rest.find(']') : std::min(rest.find_first_of(".[", 1), rest.size());
    if (stop == std::string_view::npos) return type_error("expected ']' in a format string");
    const std::string_view name = rest.substr(1, stop - 1);
    RECKON_TRY(value, is_item ? get_item(runtime, value, path_part(name)) : get_attribute(runtime, value, name));
    if (value.is_undefined()) return undefined_error(value);
    rest = rest.substr(is_item ? stop + 1 : stop);
  }
  return value;
}

Result<MarkedText> brace_field(Runtime& runtime, std::string_view field, const Args& args, FieldCount& count) {
  std::string_view spec_text;
  char conversion = 0;
  const std::size_t colon = field.find(':');
  if (colon != std::string_view::npos) {
    spec_text = field.substr(colon + 1);
    field = field.substr(0, colon);
  }
  if (const std::size_t bang = field.find('!'); bang != std::string_view::npos) {
    if (bang + 2 != field.size()) return type_error("bad conversion in a format string");
    conversion = field[bang + 1];
    field = field.substr(0, bang);
  }
  RECKON_TRY(Value value, field_value(runtime, field, args, count));
  if (conversion == 's') {
    RECKON_TRY(TextRef text, to_text(runtime, value));
    value = Value::text(std::move(text));
  } else if (conversion == 'r') {
    RECKON_TRY(MarkedText text, to_repr(runtime, value));
    value = Value::text(std::move(text));
  } else if (conversion != 0) {
    return type_error("unknown conversion in a format string");
  }
  RECKON_TRY(const Spec spec, parse_spec(spec_text));
  return formatted(runtime, value, spec);
}

}  // namespace

Result<Value> format_braces(Runtime& runtime, const MarkedText& text, const Args& args) {
  MarkedText out;
  FieldCount count;
  const std::string_view bytes = text.bytes();
  for (std::size_t i = 0; i < bytes.size();) {
    const char c = bytes[i];
    if (c != '{' && c != '}') {
      const std::size_t next = std::min(bytes.find_first_of("{}", i), bytes.size());
      out.append(text, i, next);
      i = next;
      continue;
    }
    if (i + 1 < bytes.size() && bytes[i + 1] == c) {
      out.append(text, i, i + 1);
      i += 2;
      continue;
    }
    if (c == '}') return type_error("single '}' in a format string");
    const std::size_t close = bytes.find_first_of("{}", i + 1);
    if (close == std::string_view::npos) return type_error("expected '}' in a format string");
    if (bytes[close] == '{') return type_error("nested fields in a format string are not supported");
    RECKON_TRY(const MarkedText part, brace_field(runtime, bytes.substr(i + 1, close - i - 1), args, count));
    RECKON_TRY_VOID(runtime.charge_text(out.size() + part.size()));
    out.append(part);
    i = close + 1;
  }
  return runtime.text(std::move(out));
}

}  // namespace reckon::chat::jinja
