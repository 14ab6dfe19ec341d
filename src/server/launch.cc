#include "server/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reckon::server {
namespace {

constexpr std::size_t kMaxClientBytes = 256;

ApiError too_long(std::string message, std::string_view param) {
  ApiError error{.status = 400, .message = std::move(message), .code = "context_length_exceeded"};
  error.param = param;
  return error;
}

// With an estimate of when there is room again: one of the running answers will be over by then.
ApiError refused(const Error& error, const Engine& engine) {
  ApiError answer = to_api_error(error);
  if (error.code != ErrorCode::kQueueFull) return answer;
  const EngineStats stats = engine.stats();
  answer.retry_after_s = std::clamp(static_cast<int>(stats.mean_request_seconds) + 1, 1, 60);
  answer.numbers = {{"n_running", stats.n_running}, {"n_queued", stats.n_queued}};
  return answer;
}

// Keeps what passes by.
class CachingListener final : public ForwardingListener {
 public:
  CachingListener(std::shared_ptr<AnswerListener> next, ResultCache& cache, std::string key)
      : ForwardingListener(std::move(next)), cache_(cache), key_(std::move(key)) {}

  void on_end(std::span<const ChoiceResult> choices) override {
    cache_.put(key_, choices);  // first, so that whoever reads the end finds it
    ForwardingListener::on_end(choices);
  }

 private:
  ResultCache& cache_;
  std::string key_;
};

}  // namespace

std::vector<http::Header> CacheLookup::headers() const {
  if (key.empty()) return {};
  return {{"X-Cache", results == nullptr ? "miss" : "hit"}};
}

CacheLookup look_up(Call& call, bool is_deterministic) {
  CacheLookup lookup;
  ResultCache& cache = call.service.cache();
  if (!is_deterministic || !cache.enabled()) return lookup;
  lookup.key = cache_key(call.exchange->request().path, call.body);
  if (!lookup.key.empty()) lookup.results = cache.find(lookup.key);
  return lookup;
}

Reply<void> launch(Call& call, std::string id, const CacheLookup& cached, std::shared_ptr<AnswerListener> listener,
                   std::vector<RunningAnswer::Sequence> sequences) {
  if (cached.results != nullptr) {
    replay(*cached.results, *listener);
    return {};
  }
  if (Telemetry* telemetry = call.service.telemetry()) {
    const http::Request& request = call.exchange->request();
    listener = telemetry->metered(std::move(listener), request.id, request.client);
  }
  if (!cached.key.empty()) {
    listener = std::make_shared<CachingListener>(std::move(listener), call.service.cache(), cached.key);
  }
  AnswerRegistry& answers = call.service.answers();
  RunningAnswer::Setup setup;
  setup.id = id;
  setup.client = call.exchange->request().client;
  setup.arrival = call.arrival;
  setup.listener = std::move(listener);
  setup.max_in_flight = static_cast<std::size_t>(call.model.n_parallel);
  setup.on_over = [&answers, id] { answers.remove(id); };
  for (RunningAnswer::Sequence& sequence : sequences) {
    const TimeLimits& limits = call.service.options().time_limits;
    sequence.request.client = call.exchange->request().client.substr(0, kMaxClientBytes);
    sequence.request.queue_ms = limits.queue_ms;
    sequence.request.first_token_ms = limits.first_token_ms;
    sequence.request.total_ms = limits.total_ms;
  }
  const auto answer = std::make_shared<RunningAnswer>(*call.model.engine, std::move(setup));
  call.exchange->on_gone([weak = std::weak_ptr(answer)] {
    if (const auto running = weak.lock()) running->cancel();
  });
  if (answer->cancelled()) return {};  // the client left while its request was prepared
  answers.add(answer);
  if (const auto started = answer->start(std::move(sequences)); !started) {
    answers.remove(id);
    return std::unexpected(refused(started.error(), *call.model.engine));
  }
  return {};
}

Reply<void> check_prompt_tokens(std::size_t n_prompt, int n_context, std::string_view param) {
  const auto room = static_cast<std::size_t>(n_context);
  if (n_prompt < room) return {};
  ApiError error = too_long(
      fmt::format("this model's context is {} tokens long, but the prompt has {} and the answer needs one at least: "
                  "shorten it, or start the service with --ctx {} or more",
                  n_context, n_prompt, n_prompt + 1),
      param);
  error.numbers = {{"n_prompt_tokens", static_cast<std::int64_t>(n_prompt)}, {"n_ctx", n_context}};
  return std::unexpected(std::move(error));
}

Reply<void> check_prompt_bytes(std::size_t n_bytes, int n_context, std::string_view param) {
  const std::size_t room = static_cast<std::size_t>(n_context) * kMaxTokenBytes;
  if (n_bytes <= room) return {};
  const std::size_t least_tokens = n_bytes / kMaxTokenBytes;
  ApiError error = too_long(fmt::format("this model's context is {} tokens long, which {} bytes of text cannot fit in: "
                                        "shorten it, or start the service with a larger --ctx",
                                        n_context, n_bytes),
                            param);
  error.numbers = {{"n_prompt_tokens_at_least", static_cast<std::int64_t>(least_tokens)}, {"n_ctx", n_context}};
  return std::unexpected(std::move(error));
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace reckon::server
