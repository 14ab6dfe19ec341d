#pragma once
// A template and its variables to text, without a model: what `reckon render` prints.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reckon/result.h"

namespace reckon::chat {

// `context_json` is an object: messages, tools, bos_token, add_generation_prompt and whatever the template reads.
// `now` is what strftime_now sees, in Unix seconds; empty: the clock. kInvalidInput names line and column.
[[nodiscard]] Result<std::string> render_text(std::string_view template_source, std::string_view context_json,
                                              std::optional<std::int64_t> now);

}  // namespace reckon::chat
