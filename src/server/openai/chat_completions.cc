#include "server/openai/chat_completions.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "engine/thought_options.h"
#include "server/launch.h"
#include "server/next_turn.h"
#include "server/openai/chat_answer.h"
#include "server/openai/chat_prompt.h"
#include "server/openai/chat_request.h"
#include "server/openai/chat_stream.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

using Sequences = std::vector<RunningAnswer::Sequence>;

Reply<Sequences> make_sequences(const ChatRequest& request, const ServedModel& model) {
  RECKON_TRY(ChatPrompt prompt, make_chat_prompt(request, model));
  RECKON_TRY(Request sequence, make_request(request.generation, *model.engine));
  const ThoughtMarks& marks = model.chat_template->thought_marks();
  sequence.thought = engine::thought_options(model.engine->tokenizer(), {.open = marks.open,
                                                                         .close = marks.close,
                                                                         .starts_inside = prompt.starts_in_thought,
                                                                         .budget = request.reasoning.budget});
  sequence.thought.answer_reserve = request.reasoning.answer_reserve;
  sequence.stop_in_thought = marks.open.empty();  // a stop string is about the answer
  if (request.logprobs) sequence.n_top_logprobs = request.top_logprobs;
  sequence.prefill_events = request.progress && request.generation.stream;
  sequence.prompt = std::move(prompt.tokens);
  const OutputForm form = request.tools.required ? request.tools.call_form() : request.output;
  RECKON_TRY(sequence.grammar, model.grammars->get(form));
  const std::vector<std::string> names = request.tools.active_names();
  Sequences sequences;
  for (int i = 0; i < request.generation.n; ++i) {
    sequences.push_back({sequence, TextSplitter(marks, prompt.starts_in_thought, request.reasoning.format, names)});
    sequences.back().request.sample.seed += static_cast<std::uint64_t>(i);
  }
  return sequences;
}

// Greedy decoding makes reasoning models repeat themselves.
void warn_of_greedy(ChatRequest& request, const ServedModel& model) {
  const float advised = model.engine->info().sample_defaults.temperature;
  const auto& asked = request.generation.temperature;
  if (!asked || *asked != 0 || advised == 0 || model.chat_template->thought_marks().open.empty()) return;
  request.warnings.push_back(fmt::format(
      "temperature: greedy decoding makes reasoning models repeat themselves; the model's authors advise {:.2g}",
      advised));
}

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
  RECKON_TRY(Sequences sequences, make_sequences(request, call.model));
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
