// `reckon tokenize`: text to token ids, for people and for scripts.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/model_flags.h"
#include "cli/prompt_input.h"
#include "engine/load_tokenizer.h"
#include "text/json.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

struct TokenizeFlags {
  ModelFlags model;
  std::vector<std::string> words;
  std::vector<std::string> files;
  bool json = false;
  bool special = false;
  bool ids_only = false;
};

std::string id_array(const std::vector<TokenId>& ids) {
  std::string text = "[";
  for (const TokenId id : ids) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", id);
  return text + "]";
}

// A JSON string a line in, an array of ids a line out, each as soon as it is read.
Outcome<Exit> tokenize_lines(const TokenizeFlags& flags, const Tokenizer& tokenizer, Context& context) {
  RECKON_TRY(const auto input, read_prompt({flags.words, flags.files}, context.io));
  std::size_t line_number = 0;
  for (std::string_view rest = input; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = text::parse_json(line);
    if (!json) return stop(Exit::kFailed, fmt::format("line {}: {}", line_number, json.error().message));
    const std::string* text = json->as_string();
    if (text == nullptr) return stop(Exit::kFailed, fmt::format("line {}: want a JSON string", line_number));
    if (!context.io.out.line(id_array(tokenizer.encode(*text, flags.special)))) break;
  }
  return Exit::kOk;
}

// One token a line: its id, its text as a JSON string, and whether it is a control token.
Outcome<Exit> tokenize_text(const TokenizeFlags& flags, const Tokenizer& tokenizer, Context& context) {
  RECKON_TRY(const auto input, read_prompt({flags.words, flags.files}, context.io));
  const auto ids = tokenizer.encode(input, flags.special);
  std::string text;
  if (flags.ids_only) {
    for (const TokenId id : ids) text += fmt::format("{}{}", text.empty() ? "" : ",", id);
    context.io.out.line(text);
    return Exit::kOk;
  }
  for (const TokenId id : ids) {
    text += fmt::format("{}  {}{}\n", pad_left(fmt::format("{}", id), 8), text::json_string(tokenizer.token_bytes(id)),
                        tokenizer.is_control(id) ? "  control" : "");
  }
  text += fmt::format("{} tokens, {} bytes\n", ids.size(), input.size());
  context.io.out.write(context.io.out_is_terminal ? without_controls(text) : text);
  return Exit::kOk;
}

Outcome<Exit> tokenize(const TokenizeFlags& flags, Context& context) {
  RECKON_TRY(const auto path, model_of(flags.model));
  CLI_TRY(const auto file, Stage::kLoad, formats::open_model(path));
  CLI_TRY(const auto tokenizer, Stage::kLoad, engine::load_tokenizer(*file));
  return flags.json ? tokenize_lines(flags, *tokenizer, context) : tokenize_text(flags, *tokenizer, context);
}

}  // namespace

Command add_tokenize(CLI::App& root) {
  const auto flags = std::make_shared<TokenizeFlags>();
  CLI::App* app = root.add_subcommand("tokenize", "Show the tokens of a text.");
  app->add_option("TEXT", flags->words, "the text; '-' stands for standard input")->type_name("TEXT");
  app->add_option("-f,--file", flags->files, "the text of this file; may be given often")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("Input");
  app->add_flag("--special", flags->special, "read control tokens such as <|im_end|> as such, not as plain text")
      ->group("Input");
  add_model_flag(*app, flags->model);
  auto* ids = app->add_flag("--ids", flags->ids_only, "only the ids, with commas between, as reckon logits takes them")
                  ->group("Output");
  app->add_flag("--json", flags->json, "input is a JSON string a line, output an array of ids a line")
      ->excludes(ids)
      ->group("Output");
  app->footer(
      "Examples:\n"
      "  reckon tokenize -m model.gguf \"你好, world\"\n"
      "  printf '%s\\n' '\"a\"' '\"b c\"' | reckon tokenize -m model.gguf --json\n");
  return {app, [flags](Context& context) { return tokenize(*flags, context); }};
}

}  // namespace reckon::cli
