#include "server/ollama/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/result.h"
#include "server/openai/message_reader.h"

namespace reckon::server::ollama {
namespace {

using text::Json;

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
constexpr std::size_t kMaxModelBytes = 4096;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();  // the body has one
constexpr std::string_view kLatest = ":latest";

// What changes texts at Ollama and has no counterpart here: warned of. `off` is the value that asks for nothing.
struct Missing {
  const char* name;
  double off;
};
constexpr Missing kMissing[] = {{"typical_p", 1}, {"tfs_z", 1}, {"mirostat", 0}};

void read_missing(FieldReader& options, std::vector<std::string>& warnings) {
  for (const auto& [name, off] : kMissing) {
    std::optional<double> value;
    options.number(name, {-1e9, 1e9}, value);
    if (value && *value != off) warnings.push_back(options.path_of(name) + ": not offered, ignored");
  }
}

void read_options(FieldReader& in, GenerationFields& out, int n_context, std::vector<std::string>& warnings) {
  const Json* json = in.object("options");
  if (json == nullptr) return;
  FieldReader options(*json, "options.");
  read_generation_fields(options, out, warnings);
  out.n = 1;
  std::optional<int> num_predict;
  options.whole("num_predict", {-2, kMaxInt}, num_predict);  // -1, -2 and 0: what the context leaves
  if (num_predict && *num_predict > 0) out.max_tokens = num_predict;
  std::optional<int> num_ctx;
  options.whole("num_ctx", {0, kMaxInt}, num_ctx);
  if (num_ctx && *num_ctx > n_context) {
    warnings.push_back(
        fmt::format("options.num_ctx: the context has {} tokens; start the service with --ctx {} for "
                    "more",
                    n_context, *num_ctx));
  }
  read_missing(options, warnings);
  // How the machine is used is the service's business.
  options.accept({"num_keep",
                  "repeat_last_n",
                  "penalize_newline",
                  "mirostat_tau",
                  "mirostat_eta",
                  "numa",
                  "num_batch",
                  "num_gpu",
                  "main_gpu",
                  "low_vram",
                  "vocab_only",
                  "use_mmap",
                  "use_mlock",
                  "num_thread",
                  "f16_kv",
                  "logits_all",
                  "embedding_only",
                  "rope_frequency_base",
                  "rope_frequency_scale",
                  "draft_num_predict"});
  in.adopt(options.error());
  for (const std::string& name : options.unknown()) warnings.push_back(name + ": unknown, ignored");
}

// True, false, or how much.
void read_think(FieldReader& in, const ServedModel& model, ReasoningFields& out) {
  const Json* json = in.any("think");
  if (json == nullptr) return;
  const std::string* word = json->as_string();
  const bool is_level = word != nullptr && *word != "none" && apply_effort(*word, out);
  if (json->as_bool() == nullptr && !is_level) return in.fail_type("think", "true, false, low, medium or high", *json);
  if (!is_level && !*json->as_bool()) {
    out.thinking = Thinking::kOff;
    out.format = ThoughtFormat::kHidden;  // for models that cannot be kept from it
    return;
  }
  if (model.chat_template->thought_marks().open.empty()) {
    return in.fail("think", fmt::format("\"{}\" does not support thinking; leave it out", model.id), "unsupported");
  }
  out.thinking = Thinking::kOn;
}

// "json", or a schema.
void read_format(FieldReader& in, OutputForm& out) {
  const Json* json = in.any("format");
  if (json == nullptr) return;
  const std::string* word = json->as_string();
  if (json->as_object() != nullptr) {
    out = {OutputForm::Kind::kJsonSchema, text::dump_json(*json), "format"};
  } else if (word != nullptr && *word == "json") {
    out = {OutputForm::Kind::kJsonObject, "", "format"};
  } else if (word == nullptr || !word->empty()) {
    in.fail_type("format", "\"json\" or a JSON schema", *json);
  }
}

// What both endpoints have.
Reply<void> read_common(FieldReader& in, const ServedModel& model, ChatRequest& chat) {
  in.string("model", kMaxModelBytes, chat.model);
  chat.generation.stream = true;
  read_options(in, chat.generation, model.n_context, chat.warnings);
  chat.generation.stream = true;  // "stream" among the options is nobody's
  in.boolean("stream", chat.generation.stream);
  read_think(in, model, chat.reasoning);
  read_format(in, chat.output);
  in.accept({"keep_alive", "truncate", "shift", "dimensions"});
  if (in.failed()) return std::unexpected(*in.error());
  return check_name(model, chat.model);
}

Reply<void> finish(FieldReader& in, ChatRequest& chat) {
  if (in.failed()) return std::unexpected(*in.error());
  chat.render.thinking = chat.reasoning.thinking;
  for (const std::string& name : in.unknown()) chat.warnings.push_back(name + ": unknown, ignored");
  return {};
}

bool is_empty_list(const Json* json) {
  return json == nullptr || json->is_null() || (json->as_array() != nullptr && json->as_array()->empty());
}

// What other models have and this one has not.
void refuse_others(FieldReader& in, std::vector<std::string>& warnings) {
  std::string suffix;
  in.string("suffix", kNoLimit, suffix);
  if (!suffix.empty()) in.fail("suffix", "this model does not support insert; leave it out", "unsupported");
  std::string own_template;
  in.string("template", kNoLimit, own_template);
  if (!own_template.empty()) {
    in.fail("template", "templates come with the model; send \"raw\": true and the whole prompt instead",
            "unsupported");
  }
  if (!is_empty_list(in.any("images"))) in.fail("images", "this model reads text only; leave them out", "unsupported");
  if (!is_empty_list(in.any("context"))) {
    warnings.emplace_back("context: ignored; /api/chat takes the whole conversation");
  }
}

Message message_of(std::string_view role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

}  // namespace

Reply<void> check_name(const ServedModel& model, std::string_view name) {
  const std::string_view bare = name.ends_with(kLatest) ? name.substr(0, name.size() - kLatest.size()) : name;
  if (model.answers_to(name) || (!bare.empty() && model.answers_to(bare))) return {};
  auto error = refuse("model",
                      fmt::format("model \"{}\" not found, this service has \"{}\" (reckon serve --alias NAME gives it "
                                  "another name)",
                                  shortened(name), model.id),
                      "model_not_found");
  error.error().status = 404;
  return error;
}

std::string tagged_name(const ServedModel& model) {
  return model.id.find(':') == std::string::npos ? model.id + std::string(kLatest) : model.id;
}

Reply<OllamaRequest> parse_chat(const Json& body, const ServedModel& model) {
  OllamaRequest request;
  ChatRequest& chat = request.chat;
  FieldReader in(body);
  RECKON_TRY_VOID(read_common(in, model, chat));
  read_tool_fields(in, chat.tools);
  request.only_load = is_empty_list(body.find("messages"));
  if (!request.only_load) {
    Conversation conversation = read_messages(in, chat.warnings);
    chat.messages = std::move(conversation.messages);
  }
  RECKON_TRY_VOID(finish(in, chat));
  return request;
}

Reply<OllamaRequest> parse_generate(const Json& body, const ServedModel& model) {
  OllamaRequest request;
  ChatRequest& chat = request.chat;
  FieldReader in(body);
  RECKON_TRY_VOID(read_common(in, model, chat));
  refuse_others(in, chat.warnings);
  std::string prompt;
  in.string("prompt", kNoLimit, prompt);
  std::string system;
  in.string("system", kNoLimit, system);
  bool raw = false;
  in.boolean("raw", raw);
  RECKON_TRY_VOID(finish(in, chat));
  request.only_load = prompt.empty();
  if (raw) {
    request.raw_prompt = std::move(prompt);
    return request;
  }
  if (!system.empty()) chat.messages.push_back(message_of("system", std::move(system)));
  chat.messages.push_back(message_of("user", std::move(prompt)));
  return request;
}

}  // namespace reckon::server::ollama
