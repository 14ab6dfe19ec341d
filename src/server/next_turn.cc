#include "server/next_turn.h"

#include <algorithm>
#include <utility>

#include "base/result.h"

namespace reckon::server {
namespace {

Message message_of(std::string role, std::string content) {
  Message message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

void submit_idle(ServedModel& model, const std::string& client, ChatMessages chat, const ChoiceResult& answer) {
  auto tokens = next_turn_tokens(std::move(chat), answer, model);
  if (!tokens || tokens->empty()) return;
  Request request;
  request.prompt = *std::move(tokens);
  request.max_new_tokens = 0;
  request.idle = true;
  request.client = client;
  // Nobody waits for it: a refusal costs the next turn its head start and nothing else.
  (void)model.engine->submit(std::move(request), [](const Event&) { return true; });
}

class NextTurnListener final : public ForwardingListener {
 public:
  NextTurnListener(std::shared_ptr<AnswerListener> next, Call& call, ChatMessages chat)
      : ForwardingListener(std::move(next)),
        service_(call.service),
        client_(call.exchange->request().client),
        chat_(std::move(chat)) {}

  void on_end(std::span<const ChoiceResult> choices) override {
    ForwardingListener::on_end(choices);
    if (choices.size() != 1 || choices.front().finish != Finish::kStop || !service_.ready()) return;
    service_.post([&model = *service_.model(), client = client_, chat = std::move(chat_), answer = choices.front()] {
      submit_idle(model, client, chat, answer);
    });
  }

 private:
  Service& service_;
  std::string client_;
  ChatMessages chat_;
};

}  // namespace

std::shared_ptr<AnswerListener> prefill_next_turn(std::shared_ptr<AnswerListener> next, Call& call, ChatMessages chat) {
  if (!call.service.options().next_turn_prefill || chat.options.continue_final_message) return next;
  return std::make_shared<NextTurnListener>(std::move(next), call, std::move(chat));
}

Reply<std::vector<TokenId>> next_turn_tokens(ChatMessages chat, const ChoiceResult& answer, const ServedModel& model) {
  Message said = message_of("assistant", answer.content);
  said.reasoning_content = answer.reasoning;
  said.tool_calls = answer.tool_calls;
  chat.messages.push_back(std::move(said));
  // Two turns that differ from their first letter on have in common what every next turn starts with.
  chat.messages.push_back(message_of("user", "a"));
  RECKON_TRY(ChatPrompt first, tokenize_chat(chat.messages, chat.options, model));
  chat.messages.back().content = "Z";
  RECKON_TRY(const ChatPrompt second, tokenize_chat(chat.messages, chat.options, model));
  const auto end = std::ranges::mismatch(first.tokens, second.tokens).in1;
  first.tokens.erase(end, first.tokens.end());
  if (first.tokens.size() >= static_cast<std::size_t>(model.n_context)) first.tokens.clear();
  return std::move(first.tokens);
}

}  // namespace reckon::server
