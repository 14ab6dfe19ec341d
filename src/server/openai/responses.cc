#include "server/openai/responses.h"

#include <utility>

#include "base/result.h"
#include "server/openai/prepared_chat.h"
#include "server/openai/responses_answer.h"
#include "server/openai/responses_request.h"

namespace reckon::server {

Reply<void> answer_responses(Call& call) {
  RECKON_TRY(ChatRequest request, parse_responses_request(call.body));
  const bool is_stream = request.generation.stream;
  RECKON_TRY(PreparedChat prepared, prepare_chat(call, std::move(request), "resp_"));
  const std::string id = prepared.frame.id;
  if (!is_stream) {
    const auto answer = std::make_shared<ResponsesAnswer>(call.exchange, std::move(prepared.frame));
    return launch_chat(call, std::move(prepared), id, answer);
  }
  const auto writer = std::make_shared<SseWriter>(call.exchange, call.service.options().heartbeat);
  const auto stream = std::make_shared<ResponsesStream>(writer, std::move(prepared.frame));
  RECKON_TRY_VOID(launch_chat(call, std::move(prepared), id, stream));
  stream->open();
  return {};
}

}  // namespace reckon::server
