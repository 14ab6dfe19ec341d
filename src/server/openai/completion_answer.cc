#include "server/openai/completion_answer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "server/openai/answer_parts.h"

namespace reckon::server {
namespace {

// OpenAI's older form: parallel lists, with the offset of each token in the text.
class LegacyLogprobs {
 public:
  LegacyLogprobs(const Tokenizer& tokenizer, std::size_t offset) : tokenizer_(tokenizer), offset_(offset) {}

  void add(const TokenText& token) {
    const std::string_view bytes = tokenizer_.token_bytes(token.chosen.id);
    tokens_.text(bytes);
    offsets_.integer(offset_);
    offset_ += bytes.size();
    if (!token.has_logprob) {  // the first token of a prompt depends on nothing
      logprobs_.raw("null");
      top_.raw("null");
      return;
    }
    logprobs_.raw(text::json_number(token.chosen.logprob, 6));
    text::JsonObject top;
    for (const TokenLogprob& other : token.top) top.number(tokenizer_.token_bytes(other.id), other.logprob, 6);
    top_.raw(top.str());
  }
  [[nodiscard]] std::string str() const {
    text::JsonObject object;
    object.raw("tokens", tokens_.str()).raw("token_logprobs", logprobs_.str());
    return object.raw("top_logprobs", top_.str()).raw("text_offset", offsets_.str()).str();
  }

 private:
  const Tokenizer& tokenizer_;
  std::size_t offset_;
  text::JsonArray tokens_;
  text::JsonArray logprobs_;
  text::JsonArray top_;
  text::JsonArray offsets_;
};

double sum_of_logprobs(const ChoiceResult& result) {
  double sum = 0;
  for (const TokenText& token : result.tokens) sum += token.chosen.logprob;
  return result.tokens.empty() ? 0 : sum / static_cast<double>(result.tokens.size());
}

// The likeliest n of each prompt's answers, a token's mean deciding.
std::vector<ChoiceResult> best_of(std::span<const ChoiceResult> made, const CompletionShape& shape) {
  std::vector<ChoiceResult> kept;
  for (std::size_t first = 0; first < made.size(); first += shape.n_made) {
    std::vector<const ChoiceResult*> order;
    for (const ChoiceResult& result : made.subspan(first, shape.n_made)) order.push_back(&result);
    if (shape.n < shape.n_made) {
      std::ranges::stable_sort(order, std::greater(), [](const ChoiceResult* r) { return sum_of_logprobs(*r); });
    }
    for (std::size_t i = 0; i < shape.n; ++i) kept.push_back(*order[i]);
  }
  return kept;
}

std::string echo_of(const CompletionShape& shape, std::size_t choice) {
  return shape.echoes.empty() ? "" : shape.echoes[choice / shape.n];
}

std::string choice_json(std::size_t index, const ChoiceResult& result, const AnswerFrame& frame,
                        const CompletionShape& shape) {
  text::JsonObject choice;
  choice.integer("index", index).text("text", echo_of(shape, index) + result.content);
  if (frame.logprobs) {
    LegacyLogprobs logprobs(*frame.tokenizer, 0);
    if (!shape.echoes.empty()) {
      logprobs.add(shape.first_tokens[index / shape.n]);
      for (const TokenText& token : result.prompt_tokens) logprobs.add(token);
    }
    for (const TokenText& token : result.tokens) logprobs.add(token);
    choice.raw("logprobs", logprobs.str());
  } else {
    choice.null("logprobs");
  }
  add_finish(choice, result);
  return choice.str();
}

// Each prompt counts once, each answer counts.
std::string usage_of(std::span<const ChoiceResult> made, std::size_t n_made) {
  int n_prompt = 0;
  int n_cached = 0;
  int n_generated = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    n_generated += made[i].timings.n_generated;
    if (i % n_made != 0) continue;
    n_prompt += made[i].timings.n_prompt;
    n_cached += made[i].timings.n_cached;
  }
  text::JsonObject usage;
  usage.integer("prompt_tokens", n_prompt).integer("completion_tokens", n_generated);
  usage.integer("total_tokens", n_prompt + n_generated);
  usage.raw("prompt_tokens_details", text::JsonObject().integer("cached_tokens", n_cached).str());
  return usage.str();
}

text::JsonObject head_of(const AnswerFrame& frame) {
  text::JsonObject object;
  object.text("id", frame.id).text("object", "text_completion").integer("created", frame.created);
  object.text("model", frame.model);
  return object;
}

}  // namespace

void CompletionAnswer::on_end(std::span<const ChoiceResult> made) {
  if (const auto error = failure_of(made)) return exchange_->respond(error_response(*error));
  const std::vector<ChoiceResult> kept = best_of(made, shape_);
  text::JsonArray list;
  for (std::size_t i = 0; i < kept.size(); ++i) list.raw(choice_json(i, kept[i], frame_, shape_));
  text::JsonObject body = head_of(frame_);
  body.raw("choices", list.str()).raw("usage", usage_of(made, shape_.n_made));
  body.raw("timings", timings_json(made)).integer("seed", frame_.seed);
  if (!frame_.warnings.empty()) body.raw("warnings", string_list(frame_.warnings));
  http::Response response;
  response.headers = frame_.headers;
  response.body = body.str();
  exchange_->respond(std::move(response));
}

CompletionStream::CompletionStream(std::shared_ptr<SseWriter> writer, AnswerFrame frame, CompletionShape shape)
    : writer_(std::move(writer)), frame_(std::move(frame)), shape_(std::move(shape)) {
  for (std::size_t i = 0; i < shape_.echoes.size() * shape_.n; ++i) {
    const std::string echo = echo_of(shape_, i);
    offsets_.push_back(echo.size());
    text::JsonObject choice;
    choice.integer("index", i).text("text", echo).null("logprobs").null("finish_reason");
    writer_->event(chunk(&choice).str());
  }
}

bool CompletionStream::on_piece(std::size_t index, const Piece& piece) {
  if (offsets_.size() <= index) offsets_.resize(index + 1);
  text::JsonObject choice;
  choice.integer("index", index).text("text", piece.text.content);
  if (frame_.logprobs) {
    LegacyLogprobs logprobs(*frame_.tokenizer, offsets_[index]);
    for (const TokenText& token : piece.tokens) logprobs.add(token);
    choice.raw("logprobs", logprobs.str());
  } else {
    choice.null("logprobs");
  }
  choice.null("finish_reason");
  offsets_[index] += piece.text.content.size();
  return writer_->event(chunk(&choice).str());
}

void CompletionStream::on_choice_end(std::size_t index, const ChoiceResult& result) {
  if (result.finish == Finish::kFailed || is_empty_timeout(result)) return;  // on_end() tells
  text::JsonObject choice;
  choice.integer("index", index).text("text", "").null("logprobs");
  add_finish(choice, result);
  text::JsonObject object = chunk(&choice);
  writer_->event(object.raw("timings", timings_json({&result, 1})).str());
}

void CompletionStream::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) {
    writer_->event(error_json(*error));
  } else if (frame_.include_usage) {
    text::JsonObject object = head_of(frame_);
    writer_->event(object.raw("choices", "[]").raw("usage", usage_of(choices, shape_.n_made)).str());
  }
  writer_->close("[DONE]");
}

text::JsonObject CompletionStream::chunk(const text::JsonObject* choice) const {
  text::JsonObject object = head_of(frame_);
  object.raw("choices", text::JsonArray().raw(choice->str()).str());
  if (frame_.include_usage) object.null("usage");
  return object;
}

}  // namespace reckon::server
