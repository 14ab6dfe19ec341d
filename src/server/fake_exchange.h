#pragma once
// Tests only: a client without a network.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.h"
#include "text/json.h"

namespace reckon::server {

class FakeExchange final : public http::Exchange {
 public:
  explicit FakeExchange(http::Request request) : request_(std::move(request)) {}

  [[nodiscard]] const http::Request& request() const override { return request_; }

  void respond(http::Response response) override {
    const std::scoped_lock lock(mutex_);
    ++n_answers_;
    response_ = std::move(response);
    done_ = true;
    changed_.notify_all();
  }
  void begin_stream(int status, std::string content_type, std::vector<http::Header> headers) override {
    const std::scoped_lock lock(mutex_);
    ++n_answers_;
    response_.status = status;
    response_.content_type = std::move(content_type);
    response_.headers = std::move(headers);
  }
  bool write(std::string bytes) override {
    const std::scoped_lock lock(mutex_);
    if (gone_) return false;
    response_.body += bytes;
    changed_.notify_all();
    return true;
  }
  void end_stream() override {
    const std::scoped_lock lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  void set_heartbeat(std::string bytes, std::chrono::milliseconds) override {
    const std::scoped_lock lock(mutex_);
    heartbeat_ = std::move(bytes);
  }
  void on_gone(std::function<void()> callback) override {
    {
      const std::scoped_lock lock(mutex_);
      if (!gone_) {
        callback_ = std::move(callback);
        return;
      }
    }
    callback();
  }

  // The client hangs up.
  void leave() {
    std::function<void()> callback;
    {
      const std::scoped_lock lock(mutex_);
      gone_ = true;
      callback = std::exchange(callback_, {});
    }
    if (callback) callback();
  }

  // Blocks until the answer is complete.
  http::Response wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    return response_;
  }
  // Blocks until the body so far holds this.
  void wait_for(std::string_view text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ || response_.body.find(text) != std::string::npos; });
  }
  [[nodiscard]] std::string body() const {  // so far
    const std::scoped_lock lock(mutex_);
    return response_.body;
  }
  [[nodiscard]] int n_answers() const {
    const std::scoped_lock lock(mutex_);
    return n_answers_;
  }
  [[nodiscard]] std::string heartbeat() const {
    const std::scoped_lock lock(mutex_);
    return heartbeat_;
  }

 private:
  http::Request request_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  http::Response response_;
  std::string heartbeat_;
  std::function<void()> callback_;
  int n_answers_ = 0;
  bool done_ = false;
  bool gone_ = false;
};

// The data of each event of a stream, [DONE] included; comments are left out.
inline std::vector<std::string> events_of(std::string_view stream) {
  std::vector<std::string> events;
  while (!stream.empty()) {
    const std::size_t end = std::min(stream.find("\n\n"), stream.size());
    std::string_view event = stream.substr(0, end);
    if (event.starts_with("event: ")) event.remove_prefix(std::min(event.find('\n') + 1, event.size()));  // its name
    if (event.starts_with("data: ")) events.emplace_back(event.substr(6));
    stream.remove_prefix(std::min(end + 2, stream.size()));
  }
  return events;
}

}  // namespace reckon::server
