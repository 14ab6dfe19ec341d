#pragma once
// Template source to tree.

#include <string_view>

#include "chat/jinja/ast.h"
#include "chat/jinja/limits.h"
#include "reckon/result.h"

namespace reckon::chat::jinja {

// kInvalidInput (syntax, unknown filter or test) and kUnsupported (include, import ...) name line and column;
// kLimit: too long or too deep.
[[nodiscard]] Result<Template> parse_template(std::string_view source, const Limits& limits = {});

}  // namespace reckon::chat::jinja
