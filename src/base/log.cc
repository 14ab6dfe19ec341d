#include "base/log.h"

#include <mutex>
#include <utility>

namespace reckon {
namespace {

struct Sink {
  std::mutex mutex;
  LogSink sink;
};

Sink& sink() {
  static Sink instance;
  return instance;
}

}  // namespace

void set_log_sink(LogSink new_sink) {
  const std::scoped_lock lock(sink().mutex);
  sink().sink = std::move(new_sink);
}

void log_line(LogLevel level, std::string_view line) {
  const std::scoped_lock lock(sink().mutex);
  if (sink().sink) sink().sink(level, line);
}

}  // namespace reckon
