#pragma once
// Refuses filters and tests that do not exist, when a template is loaded. Where one stands behind an `if`, it is an
// error only once it is reached, as in Jinja: templates ask for what an engine offers.

#include "chat/jinja/ast.h"
#include "reckon/result.h"

namespace reckon::chat::jinja {

[[nodiscard]] Result<void> check_names(const Template& parsed);

}  // namespace reckon::chat::jinja
