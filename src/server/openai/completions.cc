#include "server/openai/completions.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "server/launch.h"
#include "server/openai/completion_answer.h"
#include "server/openai/completion_request.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

using Sequences = std::vector<RunningAnswer::Sequence>;

Reply<Sequences> make_sequences(const CompletionRequest& request, const ServedModel& model) {
  RECKON_TRY(Request base, make_request(request.generation, *model.engine));
  base.n_top_logprobs = request.logprobs;
  if (request.n_made() > request.generation.n) base.n_top_logprobs = std::max(base.n_top_logprobs, 0);
  if (request.echo) base.n_prompt_logprobs = request.logprobs;
  RECKON_TRY(base.grammar, model.grammars->get(request.output));
  Sequences sequences;
  for (const std::vector<TokenId>& prompt : request.prompts) {
    for (int i = 0; i < request.n_made(); ++i) {
      sequences.push_back({base, TextSplitter({}, false, ThoughtFormat::kNone)});
      sequences.back().request.prompt = prompt;
      sequences.back().request.sample.seed += static_cast<std::uint64_t>(i);
    }
  }
  return sequences;
}

AnswerFrame make_frame(const CompletionRequest& request, const ServedModel& model, std::uint64_t seed) {
  AnswerFrame frame;
  frame.id = random_id("cmpl-");
  frame.created = unix_seconds();
  frame.model = model.id;
  frame.warnings = request.warnings;
  frame.tokenizer = &model.engine->tokenizer();
  frame.logprobs = request.logprobs >= 0;
  frame.include_usage = request.generation.include_usage;
  frame.seed = seed;
  return frame;
}

CompletionShape make_shape(const CompletionRequest& request, const ServedModel& model) {
  CompletionShape shape;
  shape.n = static_cast<std::size_t>(request.generation.n);
  shape.n_made = static_cast<std::size_t>(request.n_made());
  if (!request.echo) return shape;
  for (const std::vector<TokenId>& prompt : request.prompts) {
    shape.echoes.push_back(model.engine->tokenizer().decode(prompt));
    shape.first_tokens.push_back({.chosen = {prompt.front(), 0}, .top = {}, .in_thought = false, .has_logprob = false});
  }
  return shape;
}

}  // namespace

Reply<void> answer_completion(Call& call) {
  RECKON_TRY(const CompletionRequest request, parse_completion_request(call.body, call.model));
  RECKON_TRY(Sequences sequences, make_sequences(request, call.model));
  AnswerFrame frame = make_frame(request, call.model, sequences.front().request.sample.seed);
  const std::string id = frame.id;
  const CacheLookup cached = look_up(call, request.generation.is_deterministic());
  frame.headers = cached.headers();
  CompletionShape shape = make_shape(request, call.model);
  if (!request.generation.stream) {
    return launch(call, id, cached,
                  std::make_shared<CompletionAnswer>(call.exchange, std::move(frame), std::move(shape)),
                  std::move(sequences));
  }
  const auto writer = std::make_shared<SseWriter>(call.exchange, call.service.options().heartbeat);
  const auto stream = std::make_shared<CompletionStream>(writer, std::move(frame), std::move(shape));
  RECKON_TRY_VOID(launch(call, id, cached, stream, std::move(sequences)));
  stream->open();
  return {};
}

}  // namespace reckon::server
