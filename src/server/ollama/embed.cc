#include "server/ollama/embed.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "server/embedding_vector.h"
#include "server/field_reader.h"
#include "server/launch.h"
#include "server/ollama/request.h"
#include "server/ollama/wire.h"
#include "server/openai/answer_parts.h"
#include "server/openai/prompt_reader.h"
#include "server/random_id.h"
#include "text/utf8.h"

namespace reckon::server::ollama {
namespace {

struct EmbedRequest {
  std::string model;
  std::vector<std::string> inputs;
  std::optional<int> dimensions;
  bool truncate = true;     // cut what is too long, instead of refusing it
  bool only_first = false;  // the older endpoint: one vector, as the model made it
};

void read_inputs(FieldReader& in, std::string_view field, EmbedRequest& out) {
  const text::Json* json = in.any(field);
  if (json == nullptr) return;
  if (const std::string* text = json->as_string()) {
    if (!text->empty()) out.inputs.push_back(*text);
    return;
  }
  const text::Json::Array* items = out.only_first ? nullptr : json->as_array();
  if (items == nullptr) return in.fail_type(field, "a string or a list of strings", *json);
  if (items->size() > kMaxPrompts) return in.fail(field, "at most " + std::to_string(kMaxPrompts) + " texts at once");
  for (const text::Json& item : *items) {
    if (item.as_string() == nullptr) return in.fail_type(field, "a list of strings", item);
    out.inputs.push_back(*item.as_string());
  }
}

Reply<EmbedRequest> parse(const text::Json& body, const ServedModel& model, bool only_first) {
  EmbedRequest request;
  request.only_first = only_first;
  FieldReader in(body);
  in.string("model", 4096, request.model);
  read_inputs(in, only_first ? "prompt" : "input", request);
  in.boolean("truncate", request.truncate);
  in.whole("dimensions", {1, std::max(1, model.engine->info().n_embd)}, request.dimensions);
  if (in.failed()) return std::unexpected(*in.error());
  RECKON_TRY_VOID(check_name(model, request.model));
  if (request.model.empty()) request.model = model.id;
  return request;
}

Reply<std::vector<TokenId>> tokens_of(std::string_view text, const EmbedRequest& request, const ServedModel& model) {
  const Tokenizer& tokenizer = model.engine->tokenizer();
  const std::size_t most = static_cast<std::size_t>(std::max(model.n_context - 1, 1));
  if (request.truncate && text.size() > most * kMaxTokenBytes) {
    text = text.substr(0, most * kMaxTokenBytes);
    text.remove_suffix(text::unfinished_utf8_tail(text));
  }
  RECKON_TRY_VOID(check_prompt_bytes(text.size(), model.n_context, "input"));
  std::vector<TokenId> tokens = tokenizer.encode(text, false, tokenizer.adds_bos());
  if (request.truncate && tokens.size() > most) tokens.resize(most);
  if (tokens.empty()) return refuse("input", "input: a text is empty; give some text");
  RECKON_TRY_VOID(check_prompt_tokens(tokens.size(), model.n_context, "input"));
  return tokens;
}

std::string body_of(std::span<const ChoiceResult> inputs, const EmbedRequest& request) {
  if (request.only_first) {
    return text::JsonObject().raw("embedding", inputs.empty() ? "[]" : vector_json(inputs.front().embedding)).str();
  }
  text::JsonArray vectors;
  int n_tokens = 0;
  double total_ms = 0;
  for (const ChoiceResult& input : inputs) {
    vectors.raw(vector_json(normalised(input.embedding, request.dimensions)));
    n_tokens += input.timings.n_prompt;
    total_ms = std::max(total_ms, input.total_ms);
  }
  text::JsonObject body;
  body.text("model", request.model).raw("embeddings", vectors.str());
  body.integer("total_duration", nanoseconds(total_ms)).integer("load_duration", 0);
  return body.integer("prompt_eval_count", n_tokens).str();
}

void respond(http::Exchange& exchange, std::string body) {
  http::Response response;
  response.body = std::move(body);
  exchange.respond(std::move(response));
}

class EmbedAnswer final : public AnswerListener {
 public:
  EmbedAnswer(std::shared_ptr<http::Exchange> exchange, EmbedRequest request)
      : exchange_(std::move(exchange)), request_(std::move(request)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> inputs) override {
    if (const auto error = failure_of(inputs)) return exchange_->respond(respond_error(*error));
    respond(*exchange_, body_of(inputs, request_));
  }

 private:
  std::shared_ptr<http::Exchange> exchange_;
  EmbedRequest request_;
};

Reply<void> answer(Call& call, bool only_first) {
  RECKON_TRY(EmbedRequest request, parse(call.body, call.model, only_first));
  if (request.inputs.empty()) {  // asks whether the model is there
    respond(*call.exchange, body_of({}, request));
    return {};
  }
  std::vector<RunningAnswer::Sequence> sequences;
  for (const std::string& input : request.inputs) {
    Request sequence;
    RECKON_TRY(sequence.prompt, tokens_of(input, request, call.model));
    sequence.max_new_tokens = 0;
    sequence.pooling = Pooling::kMean;
    sequences.push_back({std::move(sequence), TextSplitter({}, false, ThoughtFormat::kNone)});
  }
  const auto listener = std::make_shared<EmbedAnswer>(call.exchange, std::move(request));
  return launch(call, random_id("ollama-"), {}, listener, std::move(sequences));
}

}  // namespace

Reply<void> answer_embed(Call& call) { return answer(call, false); }

Reply<void> answer_embeddings(Call& call) { return answer(call, true); }

}  // namespace reckon::server::ollama
