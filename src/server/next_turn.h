#pragma once
// Templates of thinking models drop old thoughts, so the next turn of a chat starts with other tokens than the answer
// had. As soon as an answer is complete, and while nothing else is to do, the engine computes the history as the next
// turn will see it; then only the new text is left to compute.

#include <memory>

#include "server/openai/chat_prompt.h"
#include "server/service.h"

namespace reckon::server {

// Passes everything on to `next`; at the end of a single answer the preparation thread hands the engine the history.
[[nodiscard]] std::shared_ptr<AnswerListener> prefill_next_turn(std::shared_ptr<AnswerListener> next, Call& call,
                                                                ChatMessages chat);

// The tokens that the next turn starts with, whatever the user will say; exposed for tests.
[[nodiscard]] Reply<std::vector<TokenId>> next_turn_tokens(ChatMessages chat, const ChoiceResult& answer,
                                                           const ServedModel& model);

}  // namespace reckon::server
