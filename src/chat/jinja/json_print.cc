#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "chat/jinja/print.h"
#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {
namespace {

using Entry = std::pair<Value, Value>;

// What json.dumps makes of one character of a string.
std::string escape(Character c, std::string_view bytes, bool ensure_ascii) {
  if (bytes == "\"") return "\\\"";
  if (bytes == "\\") return "\\\\";
  if (bytes == "\n") return "\\n";
  if (bytes == "\r") return "\\r";
  if (bytes == "\t") return "\\t";
  if (bytes == "\f") return "\\f";
  if (bytes == "\b") return "\\b";
  if (c.code < 0x20) return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code));
  if (!ensure_ascii || c.code < 0x7F || !c.valid) return std::string(bytes);
  if (c.code < 0x10000) return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code));
  const auto rest = static_cast<std::uint32_t>(c.code) - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

class JsonPrinter {
 public:
  JsonPrinter(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}

  Result<void> print(const Value& value, std::size_t level) {
    RECKON_TRY_VOID(runtime_.charge(1));
    if (out_.size() > runtime_.limits().output_bytes) return runtime_.charge_text(out_.size());
    if (const MarkedText* text = value.as_text()) return string(*text);
    if (const List* list = value.as_list()) {
      if (list->kind == ListKind::kList || list->kind == ListKind::kTuple) return array(*list, level);
      return not_json(value);
    }
    if (const Dict* dict = value.as_dict()) return object(*dict, level);
    RECKON_TRY(const std::string bytes, scalar(value));
    out_.append(bytes, value.mark());
    return {};
  }

  MarkedText take() { return std::move(out_); }

 private:
  static Result<std::string> scalar(const Value& value) {
    if (value.is_none()) return "null";
    if (const bool* flag = value.as_bool()) return *flag ? "true" : "false";
    if (const auto* integer = value.as_int()) return fmt::format_int(*integer).str();
    if (const auto* real = value.as_real()) {
      if (std::isnan(*real)) return "NaN";
      if (std::isinf(*real)) return *real < 0 ? "-Infinity" : "Infinity";
      return real_repr(*real);
    }
    return not_json(value);
  }

  static std::unexpected<Error> not_json(const Value& value) {
    return type_error(fmt::format("a value of type {} has no JSON form", value.type_name()));
  }

  // The quotes belong to whoever wrote the string, so that a string of the user stays one piece.
  Result<void> string(const MarkedText& text) {
    RECKON_TRY_VOID(runtime_.charge_text(text.size()));
    RECKON_TRY_VOID(runtime_.charge_characters(text.size()));
    const std::string& bytes = text.bytes();
    out_.append("\"", text.mark_at(0));
    std::size_t plain = 0;
    for (std::size_t i = 0; i < bytes.size();) {
      const Character c = character_at(bytes, i);
      const std::string_view raw = std::string_view(bytes).substr(i, c.size);
      if (const std::string escaped = escape(c, raw, style_.ensure_ascii); escaped != raw) {
        out_.append(text, plain, i);
        out_.append(escaped, text.mark_at(i));
        plain = i + c.size;
      }
      i += c.size;
    }
    out_.append(text, plain, bytes.size());
    out_.append("\"", text.mark_at(0));
    return {};
  }

  void line_break(std::size_t level) {
    if (!style_.indent) return;
    out_.append("\n", Mark::kTemplate);
    for (std::size_t i = 0; i < level; ++i) out_.append(*style_.indent);
  }

  Result<void> array(const List& list, std::size_t level) {
    out_.append("[", Mark::kTemplate);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i != 0) out_.append(style_.item_separator);
      line_break(level + 1);
      RECKON_TRY_VOID(print(list.items[i], level + 1));
    }
    if (!list.items.empty()) line_break(level);
    out_.append("]", Mark::kTemplate);
    return {};
  }

  // Keys that are numbers, truth values or None become strings.
  Result<void> key(const Value& value) {
    if (const MarkedText* text = value.as_text()) return string(*text);
    RECKON_TRY(const std::string bytes, scalar(value));
    return string(MarkedText(bytes, value.mark()));
  }

  Result<void> object(const Dict& dict, std::size_t level) {
    std::vector<const Entry*> entries;
    entries.reserve(dict.entries.size());
    for (const Entry& entry : dict.entries) entries.push_back(&entry);
    if (style_.sort_keys) {
      for (const Entry* entry : entries) {
        if (entry->first.as_text() == nullptr) return type_error("sort_keys needs keys that are strings");
      }
      RECKON_TRY_VOID(runtime_.charge(entries.size() * 20));
      std::stable_sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
        return a->first.as_text()->bytes() < b->first.as_text()->bytes();
      });
    }
    out_.append("{", Mark::kTemplate);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i != 0) out_.append(style_.item_separator);
      line_break(level + 1);
      RECKON_TRY_VOID(key(entries[i]->first));
      out_.append(style_.key_separator);
      RECKON_TRY_VOID(print(entries[i]->second, level + 1));
    }
    if (!entries.empty()) line_break(level);
    out_.append("}", Mark::kTemplate);
    return {};
  }

  Runtime& runtime_;
  const JsonStyle& style_;
  MarkedText out_;
};

}  // namespace

Result<MarkedText> to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  JsonPrinter printer(runtime, style);
  RECKON_TRY_VOID(printer.print(value, 0));
  MarkedText text = printer.take();
  RECKON_TRY_VOID(runtime.charge_text(text.size()));
  return text;
}

}  // namespace reckon::chat::jinja
