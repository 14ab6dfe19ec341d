#include "server/sse_writer.h"

#include <utility>

namespace reckon::server {

void SseWriter::open(std::vector<http::Header> headers) {
  const std::scoped_lock lock(mutex_);
  headers.push_back({"Cache-Control", "no-cache"});
  headers.push_back({"X-Accel-Buffering", "no"});  // nginx would keep the events back
  exchange_->begin_stream(200, "text/event-stream", std::move(headers));
  exchange_->set_heartbeat(": ping\n\n", heartbeat_);
  open_ = true;
  if (!waiting_.empty()) exchange_->write(std::exchange(waiting_, {}));
  if (closed_) exchange_->end_stream();
}

bool SseWriter::event(std::string_view json) {
  std::string bytes;
  bytes.reserve(json.size() + 8);
  bytes.append("data: ").append(json).append("\n\n");
  return write(std::move(bytes));
}

bool SseWriter::named_event(std::string_view name, std::string_view json) {
  std::string bytes;
  bytes.reserve(name.size() + json.size() + 16);
  bytes.append("event: ").append(name).append("\ndata: ").append(json).append("\n\n");
  return write(std::move(bytes));
}

void SseWriter::close(std::string_view last) {
  if (!last.empty()) event(last);
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  closed_ = true;
  if (open_) exchange_->end_stream();
}

bool SseWriter::write(std::string bytes) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return false;
  if (open_) return exchange_->write(std::move(bytes));
  waiting_ += bytes;
  return true;
}

}  // namespace reckon::server
