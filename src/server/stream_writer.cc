#include "server/stream_writer.h"

#include <utility>

namespace reckon::server {

void StreamWriter::open(std::vector<http::Header> headers) {
  const std::scoped_lock lock(mutex_);
  headers.push_back({"Cache-Control", "no-cache"});
  headers.push_back({"X-Accel-Buffering", "no"});  // nginx would keep the events back
  exchange_->begin_stream(200, form_.content_type, std::move(headers));
  exchange_->set_heartbeat(form_.heartbeat, form_.heartbeat_interval);
  open_ = true;
  if (!waiting_.empty()) exchange_->write(std::exchange(waiting_, {}));
  if (closed_) exchange_->end_stream();
}

bool StreamWriter::write(std::string bytes) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return false;
  if (open_) return exchange_->write(std::move(bytes));
  waiting_ += bytes;
  return true;
}

void StreamWriter::close() {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  closed_ = true;
  if (open_) exchange_->end_stream();
}

}  // namespace reckon::server
