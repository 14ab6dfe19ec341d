#include "server/service.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace reckon::server {
namespace {

ApiError busy() {
  ApiError error{.status = 429,
                 .message = "too many requests wait already; try again later",
                 .code = "queue_full",
                 .retry_after_s = 2};
  return error;
}

Reply<text::Json> parse_body(const http::Request& request) {
  std::string_view body = request.body;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);  // some editors put a byte order mark in front
  auto json = text::parse_json(body);
  if (!json) return std::unexpected(to_api_error(json.error()));
  return *std::move(json);
}

}  // namespace

ApiError loading_error() {
  ApiError error{.status = 503, .message = "the model is not ready; try again in a moment", .code = "not_ready"};
  error.retry_after_s = 2;
  return error;
}

Service::Service(ServiceOptions options, std::unique_ptr<Telemetry> telemetry)
    : options_(std::move(options)),
      telemetry_(std::move(telemetry)),
      cache_(options_.cache),
      preparation_(options_.preparation) {}

void Service::attach(std::unique_ptr<ServedModel> model) {
  model->tool_support = chat::find_tool_support(*model->chat_template);
  model->grammars = std::make_unique<GrammarStore>(model->engine->tokenizer());
  model_ = std::move(model);
  model_pointer_ = model_.get();
}

Result<void> Service::warm_up() {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Finish> end;
  std::optional<Error> error;
  Request request;
  request.prompt = model_->engine->tokenizer().encode("Once upon a time there was a machine that liked to count.");
  request.max_new_tokens = 4;
  request.ignore_eos = true;
  const auto id = model_->engine->submit(std::move(request), [&](const Event& event) {
    if (event.finish == Finish::kRunning) return true;
    const std::scoped_lock lock(mutex);
    end = event.finish;
    if (event.error != nullptr) error = *event.error;
    changed.notify_all();
    return true;
  });
  if (!id) return std::unexpected(id.error());
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return end.has_value(); });
  if (error) return std::unexpected(*error);
  ready_ = true;
  return {};
}

http::Handler Service::json_handler(Task task, ErrorWriter write_error) {
  return [this, task = JsonTask{std::move(task), write_error}](const std::shared_ptr<http::Exchange>& exchange) {
    const auto arrival = RunningAnswer::Clock::now();
    if (model() == nullptr) return exchange->respond(task.write_error(loading_error()));
    const bool taken = preparation_.post([this, &task, exchange, arrival] { prepare(task, exchange, arrival); },
                                         exchange->request().body.size());
    if (!taken) exchange->respond(task.write_error(busy()));
  };
}

void Service::prepare(const JsonTask& task, const std::shared_ptr<http::Exchange>& exchange,
                      RunningAnswer::Clock::time_point arrival) {
  try {
    auto body = parse_body(exchange->request());
    if (!body) return exchange->respond(task.write_error(body.error()));
    Call call{*this, *model(), exchange, *std::move(body), arrival};
    const Reply<void> done = task.run(call);
    if (!done) exchange->respond(task.write_error(done.error()));
  } catch (const std::bad_alloc&) {
    exchange->respond(task.write_error(to_api_error({ErrorCode::kOutOfMemory, "not enough memory for this request"})));
  } catch (const std::exception& exception) {
    log_line(LogLevel::kWarning, std::string("a request failed: ") + exception.what());
    exchange->respond(task.write_error(to_api_error({ErrorCode::kInternal, "internal error; the log tells more"})));
  }
}

}  // namespace reckon::server
