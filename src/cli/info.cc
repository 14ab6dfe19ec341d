// `reckon info`: what a model file is, and what running it takes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "arch/summary.h"
#include "base/result.h"
#include "cli/display_text.h"
#include "cli/model_flags.h"
#include "cli/model_path.h"
#include "cli/progress.h"
#include "cli/type_counts.h"
#include "engine/sample_defaults.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

struct InfoFlags {
  ModelFlags model;
  std::string file;
  bool json = false;
  bool keys = false;
  bool tensors = false;
  bool chat_template = false;
};

constexpr int kDefaultContext = 8192;

int context_of(const InfoFlags& flags, const arch::ModelConfig& config) {
  return flags.model.n_context > 0 ? flags.model.n_context : std::min(kDefaultContext, config.n_context_train);
}

std::string shape_text(const formats::Tensor& tensor, std::string_view between) {
  std::string text;
  for (const std::int64_t size : tensor.shape) text += fmt::format("{}{}", text.empty() ? "" : between, size);
  return text;
}

std::string type_name(const formats::Tensor& tensor) {
  const TypeInfo* info = type_info(tensor.type);
  return info == nullptr ? "unknown" : info->name;
}

// What requests get that say nothing else, and who says so.
std::string sampling_text(const formats::TensorFile& file, const arch::Plan& plan, const arch::ModelSummary& summary) {
  const auto chat_template = file.get_string("tokenizer.chat_template");
  const engine::SampleAdvice advice =
      engine::advise_sampling({.architecture = plan.config.architecture,
                               .name = summary.name,
                               .chat_template = chat_template && *chat_template ? **chat_template : std::string_view(),
                               .n_parameters = summary.n_parameters},
                              summary.sampling);
  const SampleOptions& options = advice.options;
  std::string text = fmt::format("temp {:.4g}", options.temperature);
  if (options.top_k > 0) text += fmt::format(", top_k {}", options.top_k);
  if (options.top_p < 1) text += fmt::format(", top_p {:.4g}", options.top_p);
  if (options.min_p > 0) text += fmt::format(", min_p {:.4g}", options.min_p);
  if (options.repetition_penalty != 1) text += fmt::format(", repeat_penalty {:.4g}", options.repetition_penalty);
  return fmt::format("{} ({})", text, advice.origin);
}

class Table {
 public:
  explicit Table(Io& io) : io_(io), style_(io.out_colour) {}
  void row(std::string_view name, const std::string& value) {
    io_.out.line(fmt::format("{}{}{}{}", style_.faint(), pad_right(name, 16), style_.reset(), one_line(value)));
  }

 private:
  Io& io_;
  Style style_;
};

void print_plan(const formats::TensorFile& file, const arch::Plan& plan, const InfoFlags& flags, Table& table) {
  const arch::ModelConfig& config = plan.config;
  const arch::ModelSummary summary = arch::summarize(file, plan);
  table.row("name", summary.name);
  table.row("architecture", fmt::format("{}: {} layers of width {}, feed-forward {}", summary.architecture,
                                        config.n_layers, config.n_embd, config.n_ff));
  table.row("attention", fmt::format("{} heads, {} for keys and values, of size {}", config.n_heads, config.n_kv_heads,
                                     config.head_size));
  table.row("quantisation", summary.quantisation);
  table.row("vocabulary", fmt::format("{} tokens, {}{}", config.n_vocab, summary.tokenizer_pre,
                                      config.tied_head ? ", the head shares the embedding" : ""));
  table.row("parameters", fmt::format("{:.2f} billion", static_cast<double>(summary.n_parameters) / 1e9));
  table.row("chat template", summary.has_chat_template ? "its own" : "none; ChatML is taken in its place");
  table.row("sampling", sampling_text(file, plan, summary));
  const int n_context = context_of(flags, config);
  table.row("context", fmt::format("trained for {} tokens", config.n_context_train));
  table.row("read a token", fmt::format("{} of weights, and {} for each token before it",
                                        bytes_text(summary.bytes_per_token), bytes_text(summary.kv_bytes_per_token)));
  table.row("memory",
            fmt::format("about {}: {} of weights, {} for {} tokens of context",
                        bytes_text(summary.memory_bytes(n_context)), bytes_text(summary.weight_bytes),
                        bytes_text(summary.kv_bytes_per_token * static_cast<std::uint64_t>(n_context)), n_context));
}

void print_text(const formats::TensorFile& file, const Result<arch::Plan>& plan, const InfoFlags& flags, Io& io) {
  Table table(io);
  table.row("file", fmt::format("{}, {} tensors, {} keys", bytes_text(file.file_bytes()), file.tensors().size(),
                                file.describe().size()));
  for (const TypeCount& count : count_types(file)) {
    table.row("", fmt::format("{} {} tensors {} {:5.1f} %", pad_right(count.type, 8),
                              pad_left(fmt::format("{}", count.n_tensors), 5), pad_left(bytes_text(count.n_bytes), 9),
                              100.0 * static_cast<double>(count.n_bytes) /
                                  static_cast<double>(std::max<std::uint64_t>(file.file_bytes(), 1))));
  }
  if (plan) print_plan(file, *plan, flags, table);
  if (flags.keys) {
    for (const auto& [key, value] : file.describe())
      io.out.line(fmt::format("{} = {}", one_line(key), one_line(value)));
  }
  if (flags.tensors) {
    for (const formats::Tensor& tensor : file.tensors()) {
      io.out.line(fmt::format("{} {} {}", pad_right(one_line(tensor.name), 32), pad_right(type_name(tensor), 8),
                              shape_text(tensor, " x ")));
    }
  }
}

void add_plan(text::JsonObject& object, const formats::TensorFile& file, const arch::Plan& plan,
              const InfoFlags& flags) {
  const arch::ModelConfig& config = plan.config;
  const arch::ModelSummary summary = arch::summarize(file, plan);
  const int n_context = context_of(flags, config);
  object.text("name", summary.name).text("architecture", summary.architecture);
  object.text("quantisation", summary.quantisation);
  object.integer("layers", config.n_layers).integer("width", config.n_embd).integer("feed_forward", config.n_ff);
  object.integer("heads", config.n_heads).integer("kv_heads", config.n_kv_heads).integer("head_size", config.head_size);
  object.integer("vocabulary", config.n_vocab).boolean("tied_head", config.tied_head);
  object.text("tokenizer", summary.tokenizer_pre).boolean("chat_template", summary.has_chat_template);
  object.integer("parameters", summary.n_parameters).integer("context_train", config.n_context_train);
  object.integer("bytes_per_token", summary.bytes_per_token).integer("kv_bytes_per_token", summary.kv_bytes_per_token);
  object.integer("context", n_context).integer("memory_bytes", summary.memory_bytes(n_context));
}

std::string info_json(const formats::TensorFile& file, const Result<arch::Plan>& plan, const InfoFlags& flags) {
  text::JsonObject object;
  object.integer("file_bytes", file.file_bytes()).integer("tensors", file.tensors().size());
  std::string types;
  for (const TypeCount& count : count_types(file)) {
    text::JsonObject type;
    type.text("type", count.type).integer("tensors", count.n_tensors).integer("elements", count.n_elements);
    types += (types.empty() ? "" : ", ") + type.integer("bytes", count.n_bytes).str();
  }
  object.raw("types", "[" + types + "]").boolean("runs", plan.has_value());
  if (plan) {
    add_plan(object, file, *plan, flags);
  } else {
    object.text("problem", plan.error().message);
  }
  if (flags.keys) {
    text::JsonObject keys;
    for (const auto& [key, value] : file.describe()) keys.text(key, value);
    object.raw("keys", keys.str());
  }
  if (flags.tensors) {
    std::string list;
    for (const formats::Tensor& tensor : file.tensors()) {
      text::JsonObject entry;
      entry.text("name", tensor.name)
          .text("type", type_name(tensor))
          .raw("shape", "[" + shape_text(tensor, ", ") + "]");
      list += (list.empty() ? "" : ", ") + entry.str();
    }
    object.raw("tensor_list", "[" + list + "]");
  }
  return object.str();
}

Outcome<Exit> info(const InfoFlags& flags, Context& context) {
  Io& io = context.io;
  ModelFlags model = flags.model;
  if (!flags.file.empty()) model.model = flags.file;
  RECKON_TRY(const auto path, model_of(model));
  CLI_TRY(const auto file, Stage::kLoad, formats::open_model(path));
  if (flags.chat_template) {
    CLI_TRY(const auto source, Stage::kLoad, file->get_string("tokenizer.chat_template"));
    if (!source) return stop(Exit::kFailed, "the file has no chat template; ChatML is taken in its place");
    io.out.line(io.out_is_terminal ? without_controls(*source) : std::string(*source));
    return Exit::kOk;
  }
  const auto plan = arch::make_plan(*file);
  if (flags.json) {
    io.out.line(info_json(*file, plan, flags));
  } else {
    print_text(*file, plan, flags, io);
  }
  // What can be told was told; still a script must hear that it will not run.
  if (!plan) return std::unexpected(in_stage(Stage::kLoad, plan.error()));
  return Exit::kOk;
}

}  // namespace

Command add_info(CLI::App& root) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* app =
      root.add_subcommand("info", "Tell what a model file is, what it reads for a token, what memory it needs.");
  app->add_option("FILE", flags->file, "a GGUF file, any shard of one, or a folder; else as with -m")
      ->type_name("PATH");
  add_model_flag(*app, flags->model);
  add_context_flag(*app, flags->model);
  app->add_flag("--keys", flags->keys, "all metadata as well")->group("Output");
  app->add_flag("--tensors", flags->tensors, "all tensors with type and shape as well")->group("Output");
  app->add_flag("--chat-template", flags->chat_template, "only the chat template")->group("Output");
  app->add_flag("--json", flags->json, "print one JSON object")->group("Output");
  app->footer(
      "Examples:\n"
      "  reckon info model.gguf\n"
      "  reckon info model.gguf --ctx 32768\n"
      "  reckon info --json model.gguf | jq .memory_bytes\n");
  return {app, [flags](Context& context) { return info(*flags, context); }};
}

}  // namespace reckon::cli
