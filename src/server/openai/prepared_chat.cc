#include "server/openai/prepared_chat.h"

#include <utility>

#include "base/result.h"
#include "server/chat_sequences.h"
#include "server/next_turn.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

AnswerFrame make_frame(const ChatRequest& request, const ServedModel& model, std::string_view id_prefix) {
  AnswerFrame frame;
  frame.id = random_id(id_prefix);
  frame.created = unix_seconds();
  frame.model = model.id;
  frame.warnings = request.warnings;
  frame.tokenizer = &model.engine->tokenizer();
  frame.logprobs = request.logprobs;
  frame.include_usage = request.generation.include_usage;
  return frame;
}

}  // namespace

Reply<PreparedChat> prepare_chat(Call& call, ChatRequest request, std::string_view id_prefix) {
  RECKON_TRY_VOID(call.model.check_name(request.model));
  PreparedChat prepared;
  RECKON_TRY(prepared.sequences, make_chat_sequences(request, call.model));
  warn_of_greedy(request, call.model);
  prepared.frame = make_frame(request, call.model, id_prefix);
  prepared.frame.seed = prepared.sequences.front().request.sample.seed;
  prepared.cached = look_up(call, request.generation.is_deterministic());
  prepared.frame.headers = prepared.cached.headers();
  prepared.chat = messages_with_tools(request, call.model);
  return prepared;
}

Reply<void> launch_chat(Call& call, PreparedChat prepared, const std::string& id,
                        std::shared_ptr<AnswerListener> listener) {
  listener = prefill_next_turn(std::move(listener), call, std::move(prepared.chat));
  return launch(call, id, prepared.cached, std::move(listener), std::move(prepared.sequences));
}

}  // namespace reckon::server
