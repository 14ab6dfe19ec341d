#include "http/reply.h"

#include <utility>

#include "base/log.h"
#include "http/error_response.h"

namespace reckon::http {

Reply::Reply(Request request, std::size_t max_backlog_bytes, bool sends_body, std::function<void()> wake)
    : request_(std::move(request)),
      max_backlog_bytes_(max_backlog_bytes),
      sends_body_(sends_body),
      wake_(std::move(wake)) {}

void Reply::wake() {
  if (wake_ && (is_armed_ || state_ == State::kOverrun)) wake_();
  is_armed_ = false;
}

Reply::Callbacks Reply::change(State next) {
  state_ = next;
  wake();
  // Of a whole answer nobody is told that its client left.
  return next == State::kComplete ? std::exchange(gone_callbacks_, {}) : Callbacks{};
}

void Reply::respond(Response response) {
  Callbacks released;
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kWaiting) return;
  head_ = std::move(response);
  released = change(State::kComplete);
}

void Reply::begin_stream(int status, std::string content_type, std::vector<Header> headers) {
  Callbacks released;
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kWaiting) return;
  head_ = Response{status, std::move(content_type), std::move(headers), {}};
  begins_stream_ = true;
  released = change(sends_body_ ? State::kStreaming : State::kComplete);
}

bool Reply::write(std::string bytes) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kStreaming) return false;
  if (pending_.size() + in_flight_bytes_ >= max_backlog_bytes_) {
    (void)change(State::kOverrun);
    return false;
  }
  if (bytes.empty()) return true;
  if (pending_.empty()) {
    pending_ = std::move(bytes);
  } else {
    pending_ += bytes;
  }
  wake();
  return true;
}

void Reply::end_stream() {
  Callbacks released;
  const std::scoped_lock lock(mutex_);
  if (state_ == State::kStreaming) released = change(State::kComplete);
}

void Reply::set_heartbeat(std::string bytes, std::chrono::milliseconds interval) {
  const std::scoped_lock lock(mutex_);
  heartbeat_ = {std::move(bytes), interval};
  wake();
}

void Reply::on_gone(std::function<void()> callback) {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ == State::kComplete) return;
    if (state_ != State::kGone) {
      gone_callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

void Reply::drop() {
  Callbacks released;
  const std::scoped_lock lock(mutex_);
  if (state_ == State::kStreaming) (void)change(State::kDropped);
  if (state_ != State::kWaiting) return;
  ErrorBody error;
  error.status = 500;
  error.message = "the service gave no answer to this request";
  head_ = error_response(error);
  released = change(State::kComplete);
}

Reply::Output Reply::take() {
  const std::scoped_lock lock(mutex_);
  Output output;
  output.head = std::exchange(head_, std::nullopt);
  output.begins_stream = begins_stream_;
  output.bytes.swap(pending_);
  in_flight_bytes_ = output.bytes.size();
  output.is_complete = state_ == State::kComplete;
  return output;
}

bool Reply::arm() {
  const std::scoped_lock lock(mutex_);
  in_flight_bytes_ = 0;
  if (head_ || !pending_.empty()) return false;
  if (state_ != State::kWaiting && state_ != State::kStreaming) return false;
  is_armed_ = true;
  return true;
}

bool Reply::is_overrun() const {
  const std::scoped_lock lock(mutex_);
  return state_ == State::kOverrun;
}

bool Reply::is_lost() const {
  const std::scoped_lock lock(mutex_);
  return state_ == State::kOverrun || state_ == State::kDropped || state_ == State::kGone;
}

Reply::Heartbeat Reply::heartbeat() const {
  const std::scoped_lock lock(mutex_);
  return heartbeat_;
}

bool Reply::leave() {
  Callbacks callbacks;
  {
    const std::scoped_lock lock(mutex_);
    if (state_ == State::kComplete || state_ == State::kGone) return false;
    state_ = State::kGone;
    wake_ = nullptr;
    pending_ = {};
    callbacks.swap(gone_callbacks_);
  }
  for (const auto& callback : callbacks) {
    try {
      callback();
    } catch (const std::exception& e) {
      log_line(LogLevel::kWarning, std::string("what was to happen when a client left failed: ") + e.what());
    } catch (...) {
      log_line(LogLevel::kWarning, "what was to happen when a client left failed");
    }
  }
  return true;
}

void Reply::settle() {
  const std::scoped_lock lock(mutex_);
  wake_ = nullptr;
}

namespace {

class HandedExchange final : public Exchange {
 public:
  explicit HandedExchange(std::shared_ptr<Reply> reply) : reply_(std::move(reply)) {}
  ~HandedExchange() override { reply_->drop(); }
  HandedExchange(const HandedExchange&) = delete;
  HandedExchange& operator=(const HandedExchange&) = delete;

  const Request& request() const override { return reply_->request(); }
  void respond(Response response) override { reply_->respond(std::move(response)); }
  void begin_stream(int status, std::string content_type, std::vector<Header> headers) override {
    reply_->begin_stream(status, std::move(content_type), std::move(headers));
  }
  bool write(std::string bytes) override { return reply_->write(std::move(bytes)); }
  void end_stream() override { reply_->end_stream(); }
  void set_heartbeat(std::string bytes, std::chrono::milliseconds interval) override {
    reply_->set_heartbeat(std::move(bytes), interval);
  }
  void on_gone(std::function<void()> callback) override { reply_->on_gone(std::move(callback)); }

 private:
  const std::shared_ptr<Reply> reply_;
};

}  // namespace

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Reply> reply) {
  return std::make_shared<HandedExchange>(std::move(reply));
}

}  // namespace reckon::http
