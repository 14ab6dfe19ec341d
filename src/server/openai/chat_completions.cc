#include "server/openai/chat_completions.h"

#include <utility>

#include "base/result.h"
#include "server/chat_sequences.h"
#include "server/launch.h"
#include "server/next_turn.h"
#include "server/openai/chat_answer.h"
#include "server/openai/chat_request.h"
#include "server/openai/chat_stream.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

AnswerFrame make_frame(const ChatRequest& request, const ServedModel& model, std::uint64_t seed) {
  AnswerFrame frame;
  frame.id = random_id("chatcmpl-");
  frame.created = unix_seconds();
  frame.model = model.id;
  frame.warnings = request.warnings;
  frame.tokenizer = &model.engine->tokenizer();
  frame.logprobs = request.logprobs;
  frame.include_usage = request.generation.include_usage;
  frame.seed = seed;
  return frame;
}

std::shared_ptr<RunningAnswer> find_running(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const http::Request& request = exchange->request();
  const std::string id = request.parameters.empty() ? "" : request.parameters.front();
  auto answer = service.answers().find(id, request.client);
  if (answer == nullptr) {
    ApiError error{.status = 404, .message = "no answer with this id is on its way", .code = "not_found"};
    error.param = "id";
    exchange->respond(error_response(error));
  }
  return answer;
}

void respond_ok(http::Exchange& exchange, const std::string& id) {
  http::Response response;
  response.body = text::JsonObject().text("id", id).text("status", "ok").str();
  exchange.respond(std::move(response));
}

}  // namespace

Reply<void> answer_chat(Call& call) {
  RECKON_TRY(ChatRequest request, parse_chat_request(call.body));
  RECKON_TRY_VOID(call.model.check_name(request.model));
  RECKON_TRY(std::vector<RunningAnswer::Sequence> sequences, make_chat_sequences(request, call.model));
  warn_of_greedy(request, call.model);
  AnswerFrame frame = make_frame(request, call.model, sequences.front().request.sample.seed);
  const std::string id = frame.id;
  const CacheLookup cached = look_up(call, request.generation.is_deterministic());
  frame.headers = cached.headers();
  ChatMessages chat = messages_with_tools(request, call.model);
  if (!request.generation.stream) {
    const auto answer = std::make_shared<ChatAnswer>(call.exchange, std::move(frame));
    return launch(call, id, cached, prefill_next_turn(answer, call, std::move(chat)), std::move(sequences));
  }
  const auto writer = std::make_shared<SseWriter>(call.exchange, call.service.options().heartbeat);
  const auto stream = std::make_shared<ChatStream>(writer, std::move(frame), sequences.size());
  RECKON_TRY_VOID(launch(call, id, cached, prefill_next_turn(stream, call, std::move(chat)), std::move(sequences)));
  stream->open();
  return {};
}

void answer_now(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const auto answer = find_running(service, exchange);
  if (answer == nullptr) return;
  answer->close_thoughts();
  respond_ok(*exchange, answer->id());
}

void cancel_answer(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const auto answer = find_running(service, exchange);
  if (answer == nullptr) return;
  answer->cancel();
  respond_ok(*exchange, answer->id());
}

}  // namespace reckon::server
