#include "chat/jinja/print.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/result.h"
#include "chat/jinja/macro.h"
#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {
namespace {

constexpr int kMaxReprDepth = 200;  // only a namespace in itself gets there

void append_escaped(MarkedText& out, Character c, std::string_view bytes, Mark mark, char quote) {
  if (bytes == "\\" || (bytes.size() == 1 && bytes[0] == quote)) {
    out.append("\\", mark);
    out.append(bytes, mark);
  } else if (bytes == "\n") {
    out.append("\\n", mark);
  } else if (bytes == "\r") {
    out.append("\\r", mark);
  } else if (bytes == "\t") {
    out.append("\\t", mark);
  } else if (c.valid && is_printable(c.code)) {
    out.append(bytes, mark);
  } else if (c.code < 0x100) {
    out.append(fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c.code)), mark);
  } else if (c.code < 0x10000) {
    out.append(fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code)), mark);
  } else {
    out.append(fmt::format("\\U{:08x}", static_cast<std::uint32_t>(c.code)), mark);
  }
}

// Mark of the quotes around a text: the text's own, so that `"` and user text stay one piece.
Mark quote_mark(const MarkedText& text) { return text.mark_at(0); }

void repr_text(MarkedText& out, const MarkedText& text) {
  const std::string& bytes = text.bytes();
  const bool has_single = bytes.find('\'') != std::string::npos;
  const char quote = has_single && bytes.find('"') == std::string::npos ? '"' : '\'';
  out.append(std::string_view(&quote, 1), quote_mark(text));
  for (std::size_t i = 0; i < bytes.size();) {
    const Character c = character_at(bytes, i);
    append_escaped(out, c, std::string_view(bytes).substr(i, c.size), text.mark_at(i), quote);
    i += c.size;
  }
  out.append(std::string_view(&quote, 1), quote_mark(text));
}

class Printer {
 public:
  explicit Printer(Runtime& runtime) : runtime_(runtime) {}

  Result<void> repr(const Value& value, int depth) {
    RECKON_TRY_VOID(runtime_.charge(1));
    if (depth > kMaxReprDepth) return fail(ErrorCode::kLimit, "template limit: a value nested too deep to print");
    if (const MarkedText* text = value.as_text()) {
      RECKON_TRY_VOID(room(2 * text->size()));
      RECKON_TRY_VOID(runtime_.charge_characters(text->size()));
      repr_text(out_, *text);
      return {};
    }
    if (const List* list = value.as_list()) return repr_list(*list, depth);
    if (const Dict* dict = value.as_dict()) {
      out_.append("{", Mark::kTemplate);
      RECKON_TRY_VOID(repr_entries(dict->entries, depth));
      out_.append("}", Mark::kTemplate);
      return {};
    }
    if (const Namespace* space = value.as_namespace()) return repr_namespace(*space, depth);
    return scalar(value);
  }

  MarkedText take() { return std::move(out_); }

 private:
  Result<void> room(std::size_t bytes) { return runtime_.charge_text(bytes); }

  Result<void> repr_list(const List& list, int depth) {
    static constexpr std::string_view kOpen[] = {"[", "(", "", "dict_keys([", "dict_values([", "dict_items([", "["};
    static constexpr std::string_view kClose[] = {"]", ")", "", "])", "])", "])", "]"};
    const auto kind = static_cast<std::size_t>(list.kind);
    if (list.kind == ListKind::kGenerator) {
      out_.append("<generator object>", Mark::kTemplate);
      return {};
    }
    out_.append(kOpen[kind], Mark::kTemplate);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i != 0) out_.append(", ", Mark::kTemplate);
      RECKON_TRY_VOID(repr(list.items[i], depth + 1));
      RECKON_TRY_VOID(check_size());
    }
    if (list.kind == ListKind::kTuple && list.items.size() == 1) out_.append(",", Mark::kTemplate);
    out_.append(kClose[kind], Mark::kTemplate);
    return {};
  }

  Result<void> repr_entries(const std::vector<std::pair<Value, Value>>& entries, int depth) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i != 0) out_.append(", ", Mark::kTemplate);
      RECKON_TRY_VOID(repr(entries[i].first, depth + 1));
      out_.append(": ", Mark::kTemplate);
      RECKON_TRY_VOID(repr(entries[i].second, depth + 1));
      RECKON_TRY_VOID(check_size());
    }
    return {};
  }

  Result<void> repr_namespace(const Namespace& space, int depth) {
    out_.append("<Namespace {", Mark::kTemplate);
    for (std::size_t i = 0; i < space.attributes.size(); ++i) {
      if (i != 0) out_.append(", ", Mark::kTemplate);
      repr_text(out_, MarkedText(space.attributes[i].first, Mark::kTemplate));
      out_.append(": ", Mark::kTemplate);
      RECKON_TRY_VOID(repr(space.attributes[i].second, depth + 1));
      RECKON_TRY_VOID(check_size());
    }
    out_.append("}>", Mark::kTemplate);
    return {};
  }

  Result<void> scalar(const Value& value) {
    if (value.is_undefined()) {
      out_.append("Undefined", Mark::kTemplate);
    } else if (value.is_none()) {
      out_.append("None", Mark::kTemplate);
    } else if (const bool* flag = value.as_bool()) {
      out_.append(*flag ? "True" : "False", value.mark());
    } else if (const auto* integer = value.as_int()) {
      out_.append(fmt::format_int(*integer).c_str(), value.mark());
    } else if (const auto* real = value.as_real()) {
      out_.append(real_repr(*real), value.mark());
    } else if (const Macro* macro = value.as_macro()) {
      out_.append(fmt::format("<Macro '{}'>", macro->name), Mark::kTemplate);
    } else {
      out_.append(fmt::format("<{}>", value.type_name()), Mark::kTemplate);
    }
    return {};
  }

  Result<void> check_size() {
    if (out_.size() <= runtime_.limits().output_bytes) return {};
    return runtime_.charge_text(out_.size());
  }

  Runtime& runtime_;
  MarkedText out_;
};

}  // namespace

std::string real_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  std::string sign;
  if (text.front() == '-') {
    sign = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const std::size_t exponent_at = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + exponent_at, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {  // the limits of Python's float_repr_style 'short'
    std::string out = sign + digits.substr(0, 1);
    if (digits.size() > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02d}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

Result<MarkedText> to_repr(Runtime& runtime, const Value& value) {
  Printer printer(runtime);
  RECKON_TRY_VOID(printer.repr(value, 0));
  MarkedText text = printer.take();
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  return text;
}

Result<TextRef> to_text(Runtime& runtime, const Value& value) {
  if (TextRef text = value.text_ref()) return text;
  if (value.is_undefined()) return std::make_shared<const MarkedText>();
  RECKON_TRY(MarkedText text, to_repr(runtime, value));
  return std::make_shared<const MarkedText>(std::move(text));
}

}  // namespace reckon::chat::jinja
