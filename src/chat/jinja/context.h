#pragma once
// Data from outside as values of the template language.

#include "chat/jinja/marked_text.h"
#include "chat/jinja/value.h"
#include "text/json.h"

namespace reckon::chat::jinja {

// Every string, number and truth value gets this mark; so do the names of members.
[[nodiscard]] Value to_value(const text::Json& json, Mark mark);
[[nodiscard]] Value make_dict(std::vector<std::pair<Value, Value>> entries);
[[nodiscard]] Value make_list(std::vector<Value> items);

}  // namespace reckon::chat::jinja
