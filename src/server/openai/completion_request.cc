#include "server/openai/completion_request.h"

#include <fmt/format.h>

#include "base/result.h"
#include "server/openai/prompt_reader.h"

namespace reckon::server {
namespace {

using text::Json;

constexpr int kDefaultMaxTokens = 16;  // OpenAI's
constexpr std::size_t kMaxModelBytes = 4096;

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
  const PromptOptions prompts{.field = "prompt", .parse_special = parse_special, .n_context = model.n_context};
  RECKON_TRY(request.prompts, read_prompts(in, prompts, model.engine->tokenizer()));
  if (request.prompts.size() * static_cast<std::size_t>(request.n_made()) > kMaxMade) {
    return refuse("n", fmt::format("n: prompts times answers is more than {}; send fewer at once", kMaxMade));
  }
  for (const std::string& name : in.unknown()) request.warnings.push_back(name + ": unknown, ignored");
  return request;
}

}  // namespace reckon::server
