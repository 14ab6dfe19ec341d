#pragma once
// What the marks of a thought mean for a prompt: which marks a model has, whether a prompt ends inside a thought, and
// how one is opened or closed there.

#include <string_view>

#include "chat/jinja/marked_text.h"
#include "reckon/chat.h"
#include "reckon/tokenizer.h"

namespace reckon::chat {

// From the vocabulary (<think> is a token) or, without one, from what the template writes. `tokenizer` may be null.
[[nodiscard]] ThoughtMarks find_marks(std::string_view template_source, const Tokenizer* tokenizer);

// True where the template opened a thought at the end of the prompt and did not close it. Text of users does not count.
[[nodiscard]] bool ends_in_thought(const jinja::MarkedText& prompt, const ThoughtMarks& marks);

// Models of the R1 family always think, and answer badly where they do not. Older templates of theirs end with
// <｜Assistant｜> and leave the mark to the model; the official ones open the thought.
[[nodiscard]] bool lacks_r1_primer(const jinja::MarkedText& prompt, std::string_view template_source,
                                   const ThoughtMarks& marks);

// Whether the template is of that family.
[[nodiscard]] bool is_r1_family(std::string_view template_source, const ThoughtMarks& marks);

void open_thought(jinja::MarkedText& prompt, const ThoughtMarks& marks);
// Closes the thought that the prompt ends in, so that the model answers at once.
void close_thought(jinja::MarkedText& prompt, const ThoughtMarks& marks);

}  // namespace reckon::chat
