#include "server/sse_writer.h"

#include <string>
#include <utility>

namespace reckon::server {

bool SseWriter::event(std::string_view json) {
  std::string bytes;
  bytes.reserve(json.size() + 8);
  bytes.append("data: ").append(json).append("\n\n");
  return stream_.write(std::move(bytes));
}

bool SseWriter::named_event(std::string_view name, std::string_view json) {
  std::string bytes;
  bytes.reserve(name.size() + json.size() + 16);
  bytes.append("event: ").append(name).append("\ndata: ").append(json).append("\n\n");
  return stream_.write(std::move(bytes));
}

void SseWriter::close(std::string_view last) {
  if (!last.empty()) event(last);
  stream_.close();
}

}  // namespace reckon::server
