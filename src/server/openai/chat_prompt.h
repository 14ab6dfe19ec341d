#pragma once
// Messages to tokens, with the checks on the way.

#include <vector>

#include "server/openai/chat_request.h"
#include "server/served_model.h"

namespace reckon::server {

struct ChatPrompt {
  std::vector<TokenId> tokens;
  bool starts_in_thought = false;
};

[[nodiscard]] Reply<Prompt> render_chat(const std::vector<Message>& messages, const RenderOptions& options,
                                        const ServedModel& model);
[[nodiscard]] Reply<ChatPrompt> tokenize_chat(const std::vector<Message>& messages, const RenderOptions& options,
                                              const ServedModel& model);

// The messages as the template gets them: with the tools, one way or the other.
struct ChatMessages {
  std::vector<Message> messages;
  RenderOptions options;
};
[[nodiscard]] ChatMessages messages_with_tools(const ChatRequest& request, const ServedModel& model);

// Refuses what does not fit the context.
[[nodiscard]] Reply<ChatPrompt> make_chat_prompt(const ChatRequest& request, const ServedModel& model);

}  // namespace reckon::server
