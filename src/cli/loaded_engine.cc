#include "cli/loaded_engine.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/generation.h"
#include "cli/progress.h"
#include "cli/prompt_input.h"

namespace reckon::cli {
namespace {

constexpr std::size_t kMaxTemplateBytes = 1u << 20;

Outcome<std::shared_ptr<const ChatTemplate>> make_template(const Engine& engine, const std::string& file) {
  std::string source = engine.info().chat_template;
  if (!file.empty()) {
    RECKON_TRY(source, read_file(file, kMaxTemplateBytes));
  }
  CLI_TRY(auto chat_template, Stage::kLoad, ChatTemplate::create(source, &engine.tokenizer()));
  return chat_template;
}

}  // namespace

Outcome<LoadedEngine> load_engine(const ModelFlags& flags, const std::string& template_file, Context& context,
                                  EngineOptions options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  RECKON_TRY(const auto path, model_of(flags));
  options.n_threads = flags.n_threads;
  options.n_context = flags.n_context;
  LoadedEngine loaded;
  {
    ProgressBar bar(context.io, "loading " + cut_to_width(one_line(path.filename().string()), 30), "B");
    CLI_TRY(loaded.engine, Stage::kLoad,
            Engine::load(path, options, [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); }));
  }
  RECKON_TRY(loaded.chat_template, make_template(*loaded.engine, template_file));
  if (const auto warning = loaded.chat_template->warning(); !warning.empty() && !flags.quiet) {
    print_warning(context.io, warning);
  }
  loaded.load_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return loaded;
}

std::string model_title(const ModelInfo& info) {
  std::string title = one_line(info.name);
  if (!info.quantisation.empty() && title.find(info.quantisation) == std::string::npos) {
    title += ", " + one_line(info.quantisation);
  }
  return cut_to_width(title, 80);
}

std::string early_end(const Engine& engine, const Answer& answer, const GenerationSettings& settings) {
  if (answer.finish == Finish::kRepetition) {
    return "the answer only repeated itself and was stopped; a temperature of 0.6 helps, --no-loop-guard lets it run";
  }
  const char* thought = answer.thought_end == ThoughtEnd::kLoop     ? "the thought only repeated itself and was closed"
                        : answer.thought_end == ThoughtEnd::kBudget ? "the thought was closed at its budget"
                                                                    : "";
  if (answer.finish != Finish::kLength) return thought;
  if (settings.max_tokens && answer.timings.n_generated >= *settings.max_tokens) {
    return fmt::format("stopped after {} tokens, as --max-tokens asked{}", *settings.max_tokens,
                       answer.reasoning.empty() || !answer.content.empty() ? "" : "; the thought was not over");
  }
  return fmt::format("stopped: the context of {} tokens is full; --ctx makes it longer", engine.stats().n_context);
}

std::string greedy_warning(const ModelInfo& info, const ThoughtMarks& marks, const GenerationSettings& settings) {
  const bool asked = settings.temperature && *settings.temperature == 0;
  if (!asked || marks.open.empty() || info.sample_defaults.temperature == 0) return "";
  return fmt::format(
      "greedy decoding makes reasoning models repeat themselves; the model's authors advise --temp {:.2g}",
      info.sample_defaults.temperature);
}

}  // namespace reckon::cli
