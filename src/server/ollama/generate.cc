#include "server/ollama/generate.h"

#include <utility>

#include "base/result.h"
#include "server/chat_sequences.h"
#include "server/launch.h"
#include "server/next_turn.h"
#include "server/ollama/answer.h"
#include "server/ollama/request.h"
#include "server/random_id.h"

namespace reckon::server::ollama {
namespace {

using Sequences = std::vector<RunningAnswer::Sequence>;

Reply<Sequences> make_raw_sequence(const OllamaRequest& request, const ServedModel& model) {
  const std::string& prompt = *request.raw_prompt;
  RECKON_TRY_VOID(check_prompt_bytes(prompt.size(), model.n_context, "prompt"));
  RECKON_TRY(Request sequence, make_request(request.chat.generation, *model.engine));
  const Tokenizer& tokenizer = model.engine->tokenizer();
  sequence.prompt = tokenizer.encode(prompt, true, tokenizer.adds_bos());
  RECKON_TRY_VOID(check_prompt_tokens(sequence.prompt.size(), model.n_context, "prompt"));
  RECKON_TRY(sequence.grammar, model.grammars->get(request.chat.output));
  Sequences sequences;
  sequences.push_back({std::move(sequence), TextSplitter({}, false, ThoughtFormat::kNone)});
  return sequences;
}

void respond_loaded(Call& call, const Frame& frame) {
  text::JsonObject body = line_of(frame, {});
  http::Response response;
  response.body = body.boolean("done", true).text("done_reason", "load").str();
  call.exchange->respond(std::move(response));
}

Reply<void> answer(Call& call, OllamaRequest request, bool is_chat) {
  const ServedModel& model = call.model;
  Frame frame{.model = request.chat.model, .is_chat = is_chat, .warnings = {}, .headers = {}};
  if (frame.model.empty()) frame.model = model.id;
  if (request.only_load) {
    respond_loaded(call, frame);
    return {};
  }
  Sequences sequences;
  if (request.raw_prompt) {
    RECKON_TRY(sequences, make_raw_sequence(request, model));
  } else {
    RECKON_TRY(sequences, make_chat_sequences(request.chat, model));
    warn_of_greedy(request.chat, model);
  }
  frame.warnings = request.chat.warnings;
  const CacheLookup cached = look_up(call, request.chat.generation.is_deterministic());
  frame.headers = cached.headers();
  std::shared_ptr<AnswerListener> listener;
  std::shared_ptr<Stream> stream;
  if (request.chat.generation.stream) {
    stream = std::make_shared<Stream>(call.exchange, call.service.options().heartbeat, std::move(frame));
    listener = stream;
  } else {
    listener = std::make_shared<Answer>(call.exchange, std::move(frame));
  }
  if (is_chat) listener = prefill_next_turn(std::move(listener), call, messages_with_tools(request.chat, model));
  RECKON_TRY_VOID(launch(call, random_id("ollama-"), cached, std::move(listener), std::move(sequences)));
  if (stream != nullptr) stream->open();
  return {};
}

}  // namespace

Reply<void> answer_chat(Call& call) {
  RECKON_TRY(OllamaRequest request, parse_chat(call.body, call.model));
  return answer(call, std::move(request), true);
}

Reply<void> answer_generate(Call& call) {
  RECKON_TRY(OllamaRequest request, parse_generate(call.body, call.model));
  return answer(call, std::move(request), false);
}

}  // namespace reckon::server::ollama
