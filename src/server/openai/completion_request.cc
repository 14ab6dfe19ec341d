#include "server/openai/completion_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/result.h"
#include "server/launch.h"

namespace reckon::server {
namespace {

using text::Json;

constexpr int kDefaultMaxTokens = 16;  // OpenAI's
constexpr std::size_t kMaxModelBytes = 4096;

Reply<std::vector<TokenId>> tokens_of_text(const std::string& text, bool parse_special, const ServedModel& model) {
  RECKON_TRY_VOID(check_prompt_bytes(text.size(), model.n_context, "prompt"));
  const Tokenizer& tokenizer = model.engine->tokenizer();
  return tokenizer.encode(text, parse_special, tokenizer.adds_bos());
}

bool holds_numbers(const Json::Array& items) {
  return !items.empty() && (items.front().as_int() != nullptr || items.front().as_double() != nullptr);
}

// One prompt: text, or a list of ids.
Reply<std::vector<TokenId>> read_prompt(const Json& json, bool parse_special, const ServedModel& model) {
  if (const std::string* text = json.as_string()) return tokens_of_text(*text, parse_special, model);
  if (json.as_array() != nullptr) return token_ids_of(json, model.engine->tokenizer(), "prompt");
  return refuse("prompt", fmt::format("prompt: want text or a list of token ids, got {}", shown(json)));
}

Reply<void> read_prompts(FieldReader& in, bool parse_special, const ServedModel& model, CompletionRequest& out) {
  const Json* json = in.any("prompt");
  if (json == nullptr) return refuse("prompt", "prompt: want text, token ids or a list of either, got nothing");
  const Json::Array* items = json->as_array();
  const bool is_list = items != nullptr && !holds_numbers(*items);
  if (is_list && items->size() > kMaxPrompts) {
    return refuse("prompt", fmt::format("prompt: at most {} at once, got {}", kMaxPrompts, items->size()));
  }
  const std::size_t n = is_list ? items->size() : 1;
  for (std::size_t i = 0; i < n; ++i) {
    RECKON_TRY(auto tokens, read_prompt(is_list ? (*items)[i] : *json, parse_special, model));
    if (tokens.empty()) return refuse("prompt", "prompt: it is empty; give some text");
    RECKON_TRY_VOID(check_prompt_tokens(tokens.size(), model.n_context, "prompt"));
    out.prompts.push_back(std::move(tokens));
  }
  if (out.prompts.empty()) return refuse("prompt", "prompt: the list is empty; give some text");
  return {};
}

// OpenAI's form is a number; true and false come from clients that think of chats.
void read_logprobs(FieldReader& in, CompletionRequest& out) {
  const Json* json = in.any("logprobs");
  if (json != nullptr && json->as_bool() != nullptr) {
    out.logprobs = *json->as_bool() ? 0 : -1;
    return;
  }
  std::optional<int> n;
  in.whole("logprobs", {0, 20}, n);
  out.logprobs = n.value_or(-1);
}

void read_best_of(FieldReader& in, CompletionRequest& out) {
  std::optional<int> best_of;
  in.whole("best_of", {1, kMaxChoices}, best_of);
  if (!best_of) return;
  if (*best_of < out.generation.n) in.fail("best_of", "must be n or more");
  if (*best_of > out.generation.n && out.generation.stream) in.fail("best_of", "cannot be streamed; leave out stream");
  out.best_of = *best_of;
}

}  // namespace

Reply<std::vector<TokenId>> token_ids_of(const Json& json, const Tokenizer& tokenizer, std::string_view field) {
  const Json::Array* items = json.as_array();
  std::vector<TokenId> ids;
  if (items == nullptr) {
    return refuse(std::string(field), fmt::format("{}: want a list of token ids, got {}", field, shown(json)));
  }
  ids.reserve(items->size());
  for (const Json& item : *items) {
    const std::int64_t* id = item.as_int();
    if (id == nullptr || *id < 0 || *id >= tokenizer.n_vocab()) {
      return refuse(std::string(field), fmt::format("{}: want token ids from 0 to {}, got {}", field,
                                                    tokenizer.n_vocab() - 1, shown(item)));
    }
    ids.push_back(static_cast<TokenId>(*id));
  }
  return ids;
}

Reply<CompletionRequest> parse_completion_request(const Json& body, const ServedModel& model) {
  CompletionRequest request;
  FieldReader in(body);
  in.string("model", kMaxModelBytes, request.model);
  read_generation_fields(in, request.generation, request.warnings);
  read_logprobs(in, request);
  read_best_of(in, request);
  read_output_form(in, request.output);
  in.boolean("echo", request.echo);
  bool parse_special = false;
  in.boolean("parse_special", parse_special);
  std::optional<std::string> suffix;
  in.string("suffix", 1 << 20, suffix);
  if (suffix && !suffix->empty()) in.fail("suffix", "text in the middle is not offered; leave it out", "unsupported");
  in.accept({"metadata", "store", "safety_identifier", "cache_prompt", "skip_special_tokens", "add_special_tokens",
             "spaces_between_special_tokens"});
  if (in.failed()) return std::unexpected(*in.error());
  if (!request.generation.max_tokens) request.generation.max_tokens = kDefaultMaxTokens;
  RECKON_TRY_VOID(model.check_name(request.model));
  RECKON_TRY_VOID(read_prompts(in, parse_special, model, request));
  if (request.prompts.size() * static_cast<std::size_t>(request.n_made()) > kMaxMade) {
    return refuse("n", fmt::format("n: prompts times answers is more than {}; send fewer at once", kMaxMade));
  }
  for (const std::string& name : in.unknown()) request.warnings.push_back(name + ": unknown, ignored");
  return request;
}

}  // namespace reckon::server
