#include "server/openai/prepared_chat.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "engine/thought_options.h"
#include "server/next_turn.h"
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
  RECKON_TRY(prepared.sequences, make_sequences(request, call.model));
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
