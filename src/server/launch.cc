#include "server/launch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace reckon::server {
namespace {

ApiError too_long(std::string message, std::string_view param) {
  ApiError error{.status = 400, .message = std::move(message), .code = "context_length_exceeded"};
  error.param = param;
  return error;
}

}  // namespace

Reply<void> launch(Call& call, std::string id, std::shared_ptr<AnswerListener> listener,
                   std::vector<RunningAnswer::Sequence> sequences) {
  AnswerRegistry& answers = call.service.answers();
  RunningAnswer::Setup setup;
  setup.id = id;
  setup.client = call.exchange->request().client;
  setup.arrival = call.arrival;
  setup.listener = std::move(listener);
  setup.on_over = [&answers, id] { answers.remove(id); };
  const auto answer = std::make_shared<RunningAnswer>(*call.model.engine, std::move(setup));
  call.exchange->on_gone([weak = std::weak_ptr(answer)] {
    if (const auto running = weak.lock()) running->cancel();
  });
  if (answer->cancelled()) return {};  // the client left while its request was prepared
  answers.add(answer);
  if (const auto started = answer->start(std::move(sequences)); !started) {
    answers.remove(id);
    return std::unexpected(to_api_error(started.error()));
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
