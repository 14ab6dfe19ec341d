#pragma once
// Messages as the variables that Hugging Face's templates expect.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chat/jinja/value.h"
#include "reckon/chat.h"

namespace reckon::chat {

// What templates differ in.
struct MessageForm {
  bool arguments_as_object = true;     // of tool calls; else the JSON text
  bool empty_content_as_none = false;  // of an assistant that only calls tools
  bool developer_as_system = false;
  bool drops_old_thoughts = false;  // the template does not: we do
  ThoughtMarks marks;
};

// All text is the user's. `final_message`: the index of the one that the model goes on with; its content gets
// Mark::kFinal, and is kPlaceholder where it is empty.
[[nodiscard]] jinja::Value message_values(const std::vector<Message>& messages, const MessageForm& form,
                                          std::optional<std::size_t> final_message);

inline constexpr std::string_view kPlaceholder = "x";

}  // namespace reckon::chat
