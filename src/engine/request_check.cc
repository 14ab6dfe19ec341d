#include "engine/request_check.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace reckon::engine {
namespace {

constexpr std::size_t kMaxStops = 16;
constexpr std::size_t kMaxStopBytes = 256;
constexpr std::size_t kMaxStopTokens = 64;
constexpr std::size_t kMaxBias = 1024;
constexpr std::size_t kMaxMark = 64;  // tokens of a thought's opening or closing mark
constexpr std::size_t kMaxForced = 1024;
constexpr int kMaxTopLogprobs = 20;
constexpr std::size_t kMaxClientBytes = 256;

Result<void> check_ids(std::string_view field, std::span<const TokenId> ids, int n_vocab) {
  for (const TokenId id : ids) {
    if (id < 0 || id >= n_vocab) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{}: token {} is not in the vocabulary of 0..{}", field, id, n_vocab - 1));
    }
  }
  return {};
}

Result<void> check_count(std::string_view field, std::size_t n, std::size_t most) {
  if (n > most) return fail(ErrorCode::kLimit, fmt::format("{}: at most {} entries, got {}", field, most, n));
  return {};
}

// NaN is in no range.
Result<void> check_range(std::string_view field, double value, double least, double most) {
  if (value >= least && value <= most) return {};
  return fail(ErrorCode::kInvalidInput, fmt::format("{}: want {}..{}, got {}", field, least, most, value));
}

Result<void> check_sample(const SampleOptions& sample, int n_vocab) {
  RECKON_TRY_VOID(check_range("temperature", sample.temperature, 0, 100));
  RECKON_TRY_VOID(check_range("top_k", sample.top_k, 0, 1e9));
  RECKON_TRY_VOID(check_range("top_p", sample.top_p, 0, 1));
  RECKON_TRY_VOID(check_range("min_p", sample.min_p, 0, 1));
  RECKON_TRY_VOID(check_range("repetition_penalty", sample.repetition_penalty, 0.01, 100));
  RECKON_TRY_VOID(check_range("presence_penalty", sample.presence_penalty, -100, 100));
  RECKON_TRY_VOID(check_range("frequency_penalty", sample.frequency_penalty, -100, 100));
  RECKON_TRY_VOID(check_count("logit_bias", sample.logit_bias.size(), kMaxBias));
  for (const auto& [id, bias] : sample.logit_bias) {
    RECKON_TRY_VOID(check_ids("logit_bias", {&id, 1}, n_vocab));
    RECKON_TRY_VOID(check_range("logit_bias", bias, -1000, 1000));
  }
  return {};
}

Result<void> check_stop(const Request& request, int n_vocab) {
  RECKON_TRY_VOID(check_count("stop", request.stop.size(), kMaxStops));
  for (const std::string& text : request.stop) {
    if (text.empty()) return fail(ErrorCode::kInvalidInput, "stop: a stop string may not be empty");
    if (text.size() > kMaxStopBytes) {
      return fail(ErrorCode::kLimit, fmt::format("stop: at most {} bytes each, got {}", kMaxStopBytes, text.size()));
    }
    if ((static_cast<unsigned char>(text[0]) & 0xC0U) == 0x80) {
      return fail(ErrorCode::kInvalidInput, "stop: a stop string starts in the middle of a UTF-8 character");
    }
  }
  RECKON_TRY_VOID(check_count("stop_tokens", request.stop_tokens.size(), kMaxStopTokens));
  return check_ids("stop_tokens", request.stop_tokens, n_vocab);
}

Result<void> check_thought(const ThoughtOptions& thought, int n_vocab) {
  RECKON_TRY_VOID(check_count("thought.open", thought.open.size(), kMaxMark));
  RECKON_TRY_VOID(check_count("thought.close", thought.close.size(), kMaxMark));
  RECKON_TRY_VOID(check_count("thought.forced_close", thought.forced_close.size(), kMaxForced));
  RECKON_TRY_VOID(check_ids("thought.open", thought.open, n_vocab));
  RECKON_TRY_VOID(check_ids("thought.close", thought.close, n_vocab));
  RECKON_TRY_VOID(check_ids("thought.forced_close", thought.forced_close, n_vocab));
  if (thought.max_tokens) RECKON_TRY_VOID(check_range("thought.max_tokens", *thought.max_tokens, 0, 1e9));
  return check_range("thought.answer_reserve", thought.answer_reserve, 0, 1e9);
}

Result<void> check_service_fields(const Request& request) {
  RECKON_TRY_VOID(check_range("n_prompt_logprobs", request.n_prompt_logprobs, -1, kMaxTopLogprobs));
  RECKON_TRY_VOID(check_range("prompt_logprobs_from", request.prompt_logprobs_from, 0, 2147483647));
  const std::pair<std::string_view, std::optional<int>> limits[] = {
      {"queue_ms", request.queue_ms}, {"first_token_ms", request.first_token_ms}, {"total_ms", request.total_ms}};
  for (const auto& [field, limit] : limits) {
    if (limit) RECKON_TRY_VOID(check_range(field, *limit, 0, 2147483647));
  }
  if (request.client.size() > kMaxClientBytes) {
    return fail(ErrorCode::kLimit,
                fmt::format("client: at most {} bytes, got {}", kMaxClientBytes, request.client.size()));
  }
  if (request.max_new_tokens > 0 && (request.idle || request.pooling != Pooling::kNone)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("{}: wants no answer, but max_new_tokens is {}: set it to 0",
                                                      request.idle ? "idle" : "pooling", request.max_new_tokens));
  }
  return {};
}

}  // namespace

Result<void> check_request(const Request& request, int n_vocab, int n_context) {
  if (request.prompt.empty())
    return fail(ErrorCode::kInvalidInput, "the prompt is empty: at least one token is needed");
  const std::size_t n_prompt = request.prompt.size();
  if (n_prompt >= static_cast<std::size_t>(n_context)) {
    return fail(
        ErrorCode::kPromptTooLong,
        fmt::format("the prompt has {} tokens, but the context holds {} and needs one for the answer: shorten the "
                    "prompt, or start with a context of {} or more",
                    n_prompt, n_context, n_prompt + 1));
  }
  RECKON_TRY_VOID(check_ids("prompt", request.prompt, n_vocab));
  RECKON_TRY_VOID(check_range("max_new_tokens", request.max_new_tokens, 0, 2147483647));
  RECKON_TRY_VOID(check_range("min_new_tokens", request.min_new_tokens, 0, 2147483647));
  RECKON_TRY_VOID(check_range("n_top_logprobs", request.n_top_logprobs, -1, kMaxTopLogprobs));
  RECKON_TRY_VOID(check_service_fields(request));
  RECKON_TRY_VOID(check_sample(request.sample, n_vocab));
  RECKON_TRY_VOID(check_stop(request, n_vocab));
  return check_thought(request.thought, n_vocab);
}

}  // namespace reckon::engine
