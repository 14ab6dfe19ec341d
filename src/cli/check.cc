// `reckon check`: does this file really run? Templates, token ids and NaN bite only then.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/generation.h"
#include "cli/loaded_engine.h"

namespace reckon::cli {
namespace {

struct CheckFlags {
  ModelFlags model;
  std::string file;
};

constexpr int kCheckContext = 512;  // small: a broken file must not cost memory
constexpr int kCheckStep = 64;
constexpr int kCheckTokens = 2;

Outcome<Exit> check(const CheckFlags& flags, Context& context) {
  EngineOptions options;
  options.n_threads = flags.model.n_threads;
  options.n_context = kCheckContext;
  options.max_sequences = 1;
  options.max_step_tokens = kCheckStep;
  CLI_TRY(const auto engine, Stage::kLoad, Engine::load(flags.file, options));
  CLI_TRY(const auto chat_template, Stage::kLoad,
          ChatTemplate::create(engine->info().chat_template, &engine->tokenizer()));
  CLI_TRY(const auto prompt, Stage::kLoad, chat_template->render({make_message("user", "Hello")}, {}));
  GenerationSettings settings;
  settings.temperature = 0;
  settings.max_tokens = kCheckTokens;
  settings.ignore_eos = true;
  settings.seed = 1;
  const ThoughtMarks& marks = chat_template->thought_marks();
  Request request = make_request(*engine, prompt, marks, settings);
  if (request.prompt.empty()) return stop(Exit::kModel, "the chat template made an empty prompt");
  RECKON_TRY(const auto answer,
             run_request(*engine, std::move(request), ReasoningParser(marks, prompt.starts_in_thought),
                         [](const ReasoningParser::Delta&) { return true; }, {.watch = context.watch}));
  if (answer.signal != 0) return Exit::kInterrupted;
  if (!flags.model.quiet) {
    context.io.out.line(fmt::format("{}: runs; {}, {} tokens of prompt rendered, {} generated", one_line(flags.file),
                                    model_title(engine->info()), answer.timings.n_prompt, answer.timings.n_generated));
  }
  return Exit::kOk;
}

}  // namespace

Command add_check(CLI::App& root) {
  const auto flags = std::make_shared<CheckFlags>();
  CLI::App* app = root.add_subcommand("check", "Load a model, render one message, generate two tokens, and say so.");
  app->add_option("FILE", flags->file, "a GGUF file, any shard of one, or a folder that holds one model")
      ->type_name("PATH")
      ->required();
  add_thread_flag(*app, flags->model);
  add_quiet_flag(*app, flags->model, "say nothing where the file runs");
  app->footer(
      "Examples:\n"
      "  reckon check model.gguf && echo good\n"
      "\n"
      "Exit code 0: it runs. 3: the file is absent, broken or of a kind that cannot run here; one\n"
      "line tells why.\n");
  return {app, [flags](Context& context) { return check(*flags, context); }};
}

}  // namespace reckon::cli
