#include "server/openai/embeddings.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/result.h"
#include "server/base64.h"
#include "server/embedding_vector.h"
#include "server/launch.h"
#include "server/openai/answer_parts.h"
#include "server/openai/prompt_reader.h"
#include "server/random_id.h"

namespace reckon::server {
namespace {

struct EmbeddingRequest {
  std::string model;
  std::vector<std::vector<TokenId>> inputs;
  bool base64 = false;
  Pooling pooling = Pooling::kMean;
  std::optional<int> dimensions;
};

Reply<EmbeddingRequest> parse_embedding_request(const text::Json& body, const ServedModel& model) {
  EmbeddingRequest request;
  FieldReader in(body);
  in.string("model", 4096, request.model);
  std::string format = "float";
  in.string("encoding_format", 64, format);
  if (format != "float" && format != "base64") in.fail("encoding_format", "want \"float\" or \"base64\"");
  request.base64 = format == "base64";
  std::string pooling = "mean";
  in.string("pooling", 64, pooling);
  if (pooling != "mean" && pooling != "last") in.fail("pooling", "want \"mean\" or \"last\"");
  if (pooling == "last") request.pooling = Pooling::kLast;
  in.whole("dimensions", {1, std::max(1, model.engine->info().n_embd)}, request.dimensions);
  if (in.failed()) return std::unexpected(*in.error());
  RECKON_TRY_VOID(model.check_name(request.model));
  const PromptOptions options{.field = "input", .parse_special = false, .n_context = model.n_context};
  RECKON_TRY(request.inputs, read_prompts(in, options, model.engine->tokenizer()));
  return request;
}

std::string written(const std::vector<float>& vector, bool base64) {
  return base64 ? text::json_string(to_base64(std::as_bytes(std::span(vector)))) : vector_json(vector);
}

class EmbeddingAnswer final : public AnswerListener {
 public:
  EmbeddingAnswer(std::shared_ptr<http::Exchange> exchange, EmbeddingRequest request, std::string model)
      : exchange_(std::move(exchange)), request_(std::move(request)), model_(std::move(model)) {}

  bool on_piece(std::size_t, const Piece&) override { return true; }
  void on_choice_end(std::size_t, const ChoiceResult&) override {}
  void on_end(std::span<const ChoiceResult> inputs) override {
    if (const auto error = failure_of(inputs)) return exchange_->respond(error_response(*error));
    text::JsonArray data;
    int n_tokens = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      n_tokens += inputs[i].timings.n_prompt;
      const auto vector = normalised(inputs[i].embedding, request_.dimensions);
      text::JsonObject item;
      item.text("object", "embedding").integer("index", i).raw("embedding", written(vector, request_.base64));
      data.raw(item.str());
    }
    text::JsonObject body;
    body.text("object", "list").raw("data", data.str()).text("model", model_);
    body.raw("usage", text::JsonObject().integer("prompt_tokens", n_tokens).integer("total_tokens", n_tokens).str());
    http::Response response;
    response.body = body.str();
    exchange_->respond(std::move(response));
  }

 private:
  std::shared_ptr<http::Exchange> exchange_;
  EmbeddingRequest request_;
  std::string model_;
};

}  // namespace

Reply<void> answer_embeddings(Call& call) {
  RECKON_TRY(EmbeddingRequest request, parse_embedding_request(call.body, call.model));
  std::vector<RunningAnswer::Sequence> sequences;
  for (std::vector<TokenId>& input : request.inputs) {
    Request sequence;
    sequence.prompt = std::move(input);
    sequence.max_new_tokens = 0;
    sequence.pooling = request.pooling;
    sequences.push_back({std::move(sequence), TextSplitter({}, false, ThoughtFormat::kNone)});
  }
  const auto listener = std::make_shared<EmbeddingAnswer>(call.exchange, std::move(request), call.model.id);
  return launch(call, random_id("embd-"), {}, listener, std::move(sequences));
}

}  // namespace reckon::server
