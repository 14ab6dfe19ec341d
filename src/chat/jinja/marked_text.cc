#include "chat/jinja/marked_text.h"

#include <algorithm>

namespace reckon::chat::jinja {

MarkedText::MarkedText(std::string bytes, Mark mark) : bytes_(std::move(bytes)) {
  if (!bytes_.empty()) extend(bytes_.size(), mark);
}

std::size_t MarkedText::run_of(std::size_t offset) const {
  const auto run =
      std::upper_bound(runs_.begin(), runs_.end(), offset, [](std::size_t at, const Run& r) { return at < r.end; });
  return static_cast<std::size_t>(run - runs_.begin());
}

Mark MarkedText::mark_at(std::size_t offset) const {
  const std::size_t run = run_of(offset);
  return run < runs_.size() ? runs_[run].mark : Mark::kTemplate;
}

void MarkedText::extend(std::size_t end, Mark mark) {
  if (!runs_.empty() && runs_.back().mark == mark) {
    runs_.back().end = static_cast<std::uint32_t>(end);
  } else {
    runs_.push_back({static_cast<std::uint32_t>(end), mark});
  }
}

void MarkedText::append(std::string_view bytes, Mark mark) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  extend(bytes_.size(), mark);
}

void MarkedText::append(const MarkedText& other) { append(other, 0, other.size()); }

void MarkedText::append(const MarkedText& other, std::size_t begin, std::size_t end) {
  end = std::min(end, other.size());
  if (begin >= end) return;
  const std::size_t base = bytes_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  for (std::size_t run = other.run_of(begin); run < other.runs_.size(); ++run) {
    const std::size_t run_end = std::min<std::size_t>(other.runs_[run].end, end);
    extend(base + run_end - begin, other.runs_[run].mark);
    if (run_end == end) break;
  }
}

MarkedText MarkedText::slice(std::size_t begin, std::size_t end) const {
  MarkedText part;
  part.append(*this, begin, end);
  return part;
}

}  // namespace reckon::chat::jinja
