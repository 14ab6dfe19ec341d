// `reckon render`: what a chat template makes of a conversation, for tests and for people who write templates.

#include "chat/render.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/model_flags.h"
#include "cli/prompt_input.h"
#include "cli/render_context.h"
#include "engine/load_tokenizer.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

struct RenderFlags {
  ModelFlags model;
  std::string template_file;
  std::string context_file;
  std::string now;
  bool segments = false;
};

constexpr std::size_t kMaxTemplateBytes = 1u << 20;

Outcome<std::int64_t> parse_now(const std::string& text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return stop(Exit::kUsage,
                fmt::format("--now: want Unix seconds, e.g. 1767225600, got '{}'", cut_to_width(one_line(text), 40)));
  }
  return seconds;
}

std::string segments_json(const Prompt& prompt) {
  std::string text = "[";
  for (const Segment& segment : prompt.segments) {
    if (text.size() > 1) text += ", ";
    text += text::JsonObject().text("text", segment.text).boolean("is_template", segment.is_template).str();
  }
  return text + "]";
}

// The model's tokenizer where -m was given: it knows BOS, EOS and whether <think> exists.
Outcome<std::unique_ptr<Tokenizer>> tokenizer_for(const RenderFlags& flags, std::string& source) {
  if (flags.model.model.empty()) return nullptr;
  RECKON_TRY(const auto path, model_of(flags.model));
  CLI_TRY(const auto file, Stage::kLoad, formats::open_model(path));
  CLI_TRY(auto tokenizer, Stage::kLoad, engine::load_tokenizer(*file));
  if (flags.template_file.empty()) {
    CLI_TRY(const auto own, Stage::kLoad, file->get_string("tokenizer.chat_template"));
    source = own.value_or("");
  }
  return tokenizer;
}

bool is_object(std::string_view json) {
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && json[first] == '{';
}

void write_text(Context& context, const std::string& text) {
  context.io.out.write(context.io.out_is_terminal ? without_controls(text) + "\n" : text);
}

Outcome<Exit> render(const RenderFlags& flags, Context& context) {
  if (flags.template_file.empty() && flags.model.model.empty()) {
    return stop(Exit::kUsage, "give --template FILE or -m MODEL");
  }
  std::string source;
  RECKON_TRY(const auto tokenizer, tokenizer_for(flags, source));
  if (!flags.template_file.empty()) {
    RECKON_TRY(source, read_file(flags.template_file, kMaxTemplateBytes));
  }
  RECKON_TRY(const auto json, read_file(flags.context_file, kMaxPromptBytes));
  std::optional<std::int64_t> now;
  if (!flags.now.empty()) {
    RECKON_TRY(now, parse_now(flags.now));
  }
  if (tokenizer == nullptr && !flags.segments && is_object(json)) {
    // No model to fit the conversation to: the template sees the variables as they stand in the file.
    CLI_TRY(const auto text, Stage::kWork, chat::render_text(source, json, now));
    write_text(context, text);
    return Exit::kOk;
  }
  auto parsed = parse_render_context(json);
  if (!parsed) return stop(parsed.error().exit, fmt::format("{}: {}", flags.context_file, parsed.error().message));
  auto& input = *parsed;
  input.options.now = now;
  const RenderTokenizer stand_in(input.bos_token, input.eos_token);
  const Tokenizer& known = tokenizer != nullptr ? *tokenizer : static_cast<const Tokenizer&>(stand_in);
  CLI_TRY(const auto chat_template, Stage::kWork, ChatTemplate::create(source, &known));
  if (!chat_template->warning().empty()) print_warning(context.io, chat_template->warning());
  CLI_TRY(const auto prompt, Stage::kWork, chat_template->render(input.messages, input.options));
  if (flags.segments) {
    context.io.out.line(segments_json(prompt));
  } else {
    write_text(context, prompt.text());
  }
  return Exit::kOk;
}

}  // namespace

Command add_render(CLI::App& root) {
  const auto flags = std::make_shared<RenderFlags>();
  CLI::App* app = root.add_subcommand("render", "Show the prompt that a chat template makes of a conversation.");
  app->add_option("--template", flags->template_file, "a Jinja template; else the model's own (-m)")
      ->type_name("FILE")
      ->group("Input");
  app->add_option("--context", flags->context_file,
                  "JSON with messages, and where wanted tools, add_generation_prompt, bos_token, eos_token and "
                  "further variables")
      ->type_name("FILE")
      ->required()
      ->group("Input");
  app->add_option("--now", flags->now, "the time that the template sees, in Unix seconds; else the clock")
      ->type_name("TIME")
      ->group("Input");
  add_model_flag(*app, flags->model);
  app->add_flag("--segments", flags->segments, "a JSON array that tells template text from user text")->group("Output");
  app->footer(
      "Examples:\n"
      "  reckon render -m model.gguf --context talk.json\n"
      "  reckon render --template chat.jinja --context talk.json --now 1767225600\n");
  return {app, [flags](Context& context) { return render(*flags, context); }};
}

}  // namespace reckon::cli
