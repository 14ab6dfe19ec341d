#pragma once
// From a chat, whatever API it came by, to what the engine runs. On the preparation thread.

#include <vector>

#include "server/openai/chat_request.h"
#include "server/running_answer.h"
#include "server/served_model.h"

namespace reckon::server {

// One sequence for each answer that is asked for; refuses what does not fit the context.
[[nodiscard]] Reply<std::vector<RunningAnswer::Sequence>> make_chat_sequences(const ChatRequest& request,
                                                                              const ServedModel& model);

// Greedy decoding makes reasoning models repeat themselves: adds a warning where it was asked for.
void warn_of_greedy(ChatRequest& request, const ServedModel& model);

}  // namespace reckon::server
