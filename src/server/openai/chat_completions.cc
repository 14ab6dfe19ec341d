#include "server/openai/chat_completions.h"

#include <utility>

#include "base/result.h"
#include "server/openai/chat_answer.h"
#include "server/openai/chat_stream.h"
#include "server/openai/prepared_chat.h"

namespace reckon::server {
namespace {

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
  const bool is_stream = request.generation.stream;
  RECKON_TRY(PreparedChat prepared, prepare_chat(call, std::move(request), "chatcmpl-"));
  const std::string id = prepared.frame.id;
  if (!is_stream) {
    const auto answer = std::make_shared<ChatAnswer>(call.exchange, std::move(prepared.frame));
    return launch_chat(call, std::move(prepared), id, answer);
  }
  const auto writer = std::make_shared<SseWriter>(call.exchange, call.service.options().heartbeat);
  const auto stream = std::make_shared<ChatStream>(writer, std::move(prepared.frame), prepared.sequences.size());
  RECKON_TRY_VOID(launch_chat(call, std::move(prepared), id, stream));
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
