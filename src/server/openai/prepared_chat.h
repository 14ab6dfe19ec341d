#pragma once
// From a parsed chat to what the engine and the answer need; shared by the endpoints that chat.

#include <string>
#include <vector>

#include "server/answer_frame.h"
#include "server/launch.h"
#include "server/openai/chat_prompt.h"

namespace reckon::server {

struct PreparedChat {
  std::vector<RunningAnswer::Sequence> sequences;
  ChatMessages chat;  // as the template got them
  AnswerFrame frame;
  CacheLookup cached;
};

[[nodiscard]] Reply<PreparedChat> prepare_chat(Call& call, ChatRequest request, std::string_view id_prefix);

// Hands it to the engine or to the cache, with the head start of the next turn behind it.
[[nodiscard]] Reply<void> launch_chat(Call& call, PreparedChat prepared, const std::string& id,
                                      std::shared_ptr<AnswerListener> listener);

}  // namespace reckon::server
