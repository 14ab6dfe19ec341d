#include "server/openai/chat_prompt.h"

#include "base/result.h"
#include "server/launch.h"

namespace reckon::server {

Reply<Prompt> render_chat(const std::vector<Message>& messages, const RenderOptions& options,
                          const ServedModel& model) {
  std::size_t n_bytes = 0;
  for (const Message& message : messages) n_bytes += message.content.size();
  RECKON_TRY_VOID(check_prompt_bytes(n_bytes, model.n_context, "messages"));
  return to_reply(model.chat_template->render(messages, options), "messages");
}

Reply<ChatPrompt> tokenize_chat(const std::vector<Message>& messages, const RenderOptions& options,
                                const ServedModel& model) {
  RECKON_TRY(const Prompt prompt, render_chat(messages, options, model));
  std::size_t n_bytes = 0;
  for (const Segment& segment : prompt.segments) n_bytes += segment.text.size();
  RECKON_TRY_VOID(check_prompt_bytes(n_bytes, model.n_context, "messages"));
  const Tokenizer& tokenizer = model.engine->tokenizer();
  return ChatPrompt{tokenizer.encode(prompt.segments, {.add_bos = tokenizer.adds_bos()}), prompt.starts_in_thought};
}

ChatMessages messages_with_tools(const ChatRequest& request, const ServedModel& model) {
  ChatMessages chat{request.messages, request.render};
  if (!request.tools.active()) return chat;
  if (model.tool_support.in_template) {
    chat.options.tools_json = request.tools.tools_json;
  } else {
    chat::describe_tools(chat.messages, request.tools.tools_json, model.tool_support.form);
  }
  return chat;
}

Reply<ChatPrompt> make_chat_prompt(const ChatRequest& request, const ServedModel& model) {
  const ChatMessages chat = messages_with_tools(request, model);
  RECKON_TRY(ChatPrompt prompt, tokenize_chat(chat.messages, chat.options, model));
  if (prompt.tokens.empty()) return refuse("messages", "messages: the prompt has no tokens; give some text");
  RECKON_TRY_VOID(check_prompt_tokens(prompt.tokens.size(), model.n_context, "messages"));
  return prompt;
}

}  // namespace reckon::server
