#pragma once
// Values as text, byte for byte as Python writes them; marks are kept. All calls charge the runtime.

#include <string>

#include "chat/jinja/runtime.h"
#include "chat/jinja/value.h"

namespace reckon::chat::jinja {

// str(value): what {{ value }} prints.
[[nodiscard]] Result<TextRef> to_text(Runtime& runtime, const Value& value);
// repr(value): with quotes around strings.
[[nodiscard]] Result<MarkedText> to_repr(Runtime& runtime, const Value& value);
// repr(float): the shortest digits that read back as the same number.
[[nodiscard]] std::string real_repr(double number);

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<MarkedText> indent;  // one level; empty text: line breaks alone
  MarkedText item_separator;
  MarkedText key_separator;
};
// json.dumps(value). kInvalidInput for what JSON cannot say (undefined, macros).
[[nodiscard]] Result<MarkedText> to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace reckon::chat::jinja
