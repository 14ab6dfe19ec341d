#include "server/chat_sequences.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "engine/thought_options.h"
#include "server/openai/chat_prompt.h"

namespace reckon::server {

Reply<std::vector<RunningAnswer::Sequence>> make_chat_sequences(const ChatRequest& request, const ServedModel& model) {
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
  sequence.progress_events = request.progress && request.generation.stream;
  sequence.prompt = std::move(prompt.tokens);
  const OutputForm form = request.tools.required ? request.tools.call_form() : request.output;
  RECKON_TRY(sequence.grammar, model.grammars->get(form));
  const std::vector<std::string> names = request.tools.active_names();
  std::vector<RunningAnswer::Sequence> sequences;
  for (int i = 0; i < request.generation.n; ++i) {
    sequences.push_back({sequence, TextSplitter(marks, prompt.starts_in_thought, request.reasoning.format, names)});
    sequences.back().request.sample.seed += static_cast<std::uint64_t>(i);
  }
  return sequences;
}

void warn_of_greedy(ChatRequest& request, const ServedModel& model) {
  const float advised = model.engine->info().sample_defaults.temperature;
  const auto& asked = request.generation.temperature;
  if (!asked || *asked != 0 || advised == 0 || model.chat_template->thought_marks().open.empty()) return;
  request.warnings.push_back(fmt::format(
      "temperature: greedy decoding makes reasoning models repeat themselves; the model's authors advise {:.2g}",
      advised));
}

}  // namespace reckon::server
