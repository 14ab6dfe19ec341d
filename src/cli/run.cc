#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "base/result.h"
#include "cli/answer_printer.h"
#include "cli/loaded_engine.h"
#include "engine/finish_name.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

struct RenderedPrompt {
  Prompt prompt;
  ThoughtMarks marks;  // empty: raw text has no thoughts
};

Outcome<RenderedPrompt> render_prompt(const RunFlags& flags, const std::string& text,
                                      const ChatTemplate& chat_template) {
  RenderedPrompt rendered;
  if (flags.raw) {
    rendered.prompt.segments.push_back({text, flags.special});
    return rendered;
  }
  std::vector<Message> messages;
  if (!flags.system.empty()) messages.push_back(make_message("system", flags.system));
  messages.push_back(make_message("user", text));
  RenderOptions options;
  options.thinking = flags.settings.think;
  CLI_TRY(rendered.prompt, Stage::kWork, chat_template.render(messages, options));
  rendered.marks = chat_template.thought_marks();
  return rendered;
}

double per_second(int count, double ms) { return ms > 0 && count > 0 ? count / ms * 1000 : 0; }

std::string answer_json(const Answer& answer, const Engine& engine, double load_ms) {
  const RequestTimings& t = answer.timings;
  text::JsonObject usage;
  usage.integer("prompt_tokens", t.n_prompt).integer("cached_tokens", t.n_cached);
  usage.integer("completion_tokens", t.n_generated).integer("reasoning_tokens", t.n_thought);
  usage.integer("total_tokens", t.n_prompt + t.n_generated);
  text::JsonObject timings;
  timings.number("load_ms", load_ms, 1).number("queue_ms", t.queue_ms, 1).number("prefill_ms", t.prefill_ms, 1);
  timings.number("decode_ms", t.decode_ms, 1).number("time_to_first_token_ms", answer.first_token_ms, 1);
  timings.number("thought_ms", answer.thought_ms, 1);
  timings.number("prefill_tokens_per_second", per_second(t.n_prompt - t.n_cached, t.prefill_ms), 2);
  timings.number("decode_tokens_per_second", per_second(t.n_generated - 1, t.decode_ms), 2);
  text::JsonObject object;
  object.text("model", engine.info().name).text("content", answer.content);
  object.text("reasoning_content", answer.reasoning).text("finish_reason", engine::finish_name(answer.finish));
  object.integer("seed", answer.seed).raw("usage", usage.str()).raw("timings", timings.str());
  return object.str();
}

Exit exit_of(const Answer& answer) {
  if (answer.signal == SIGTERM) return Exit::kTerminated;
  return answer.signal != 0 ? Exit::kInterrupted : Exit::kOk;
}

}  // namespace

Outcome<Exit> run_prompt(const RunFlags& flags, const std::string& prompt, Engine& engine,
                         const ChatTemplate& chat_template, double load_ms, Context& context) {
  Io& io = context.io;
  RECKON_TRY(const auto rendered, render_prompt(flags, prompt, chat_template));
  if (const auto warning = greedy_warning(engine.info(), rendered.marks, flags.settings);
      !warning.empty() && !flags.model.quiet) {
    print_warning(io, warning);
  }
  Request request = make_request(engine, rendered.prompt, rendered.marks, flags.settings);
  if (request.prompt.empty()) return stop(Exit::kUsage, "the prompt has no tokens; give some text");
  AnswerPrinter printer(io, flags.settings.show_thoughts);
  const auto answer = run_request(
      engine, std::move(request), ReasoningParser(rendered.marks, rendered.prompt.starts_in_thought),
      [&](const ReasoningParser::Delta& delta) { return flags.json ? !io.out.broken_pipe() : printer.push(delta); },
      {.watch = context.watch});
  if (!flags.json) printer.finish();
  if (!answer) return std::unexpected(answer.error());
  if (flags.json) io.out.line(answer_json(*answer, engine, load_ms));
  if (!flags.model.quiet && !io.out.broken_pipe()) {
    const Style style(io.err_colour);
    if (const auto reason = early_end(engine, *answer, flags.settings); !reason.empty()) {
      io.err.line("reckon: " + reason);
    }
    if (!flags.json) {
      io.err.line(fmt::format("{}{} | seed {}{}", style.faint(), stats_line(*answer), answer->seed, style.reset()));
    }
  }
  return exit_of(*answer);
}

Command add_run(CLI::App& root) {
  const auto flags = std::make_shared<RunFlags>();
  CLI::App* app = root.add_subcommand("run", "Answer one prompt: from the command line, a file or standard input.");
  app->add_option("PROMPT", flags->sources.words, "the question; '-' stands for standard input")->type_name("TEXT");
  app->add_option("-f,--file", flags->sources.files, "put the text of this file behind the prompt; may be given often")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("Prompt");
  add_system_flag(*app, flags->system, "the question");
  auto* raw = app->add_flag("--raw", flags->raw, "no chat template: go on with the text as it stands")->group("Prompt");
  app->add_flag("--special", flags->special, "with --raw: read control tokens such as <|im_end|> as such")
      ->needs(raw)
      ->group("Prompt");
  add_template_flag(*app, flags->template_file);
  add_model_flag(*app, flags->model);
  add_context_flag(*app, flags->model);
  add_thread_flag(*app, flags->model);
  add_generation_flags(*app, flags->settings);
  app->add_flag("--json", flags->json, "print one JSON object at the end instead of text")->group("Output");
  add_quiet_flag(*app, flags->model, "only the answer: no statistics, no warnings");
  app->footer(
      "Examples:\n"
      "  reckon run \"How many r are in strawberry?\"\n"
      "  reckon run -f report.txt \"What does this report ask for?\"\n"
      "  git diff | reckon run --think off \"Write a commit message for this:\"\n"
      "  reckon run --json --seed 7 \"1+1=?\" | jq -r .content\n"
      "\n"
      "Flags that are not given follow the advice of the model's authors. Thoughts go to the\n"
      "terminal dimmed; in a pipe only the answer comes out (--show-thoughts plain shows both).\n");
  return {app, [flags](Context& context) -> Outcome<Exit> {
            RECKON_TRY(const auto prompt, read_prompt(flags->sources, context.io));
            RECKON_TRY(const auto loaded, load_engine(flags->model, flags->template_file, context));
            return run_prompt(*flags, prompt, *loaded.engine, *loaded.chat_template, loaded.load_ms, context);
          }};
}

}  // namespace reckon::cli
