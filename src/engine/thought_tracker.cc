#include "engine/thought_tracker.h"

#include <algorithm>

namespace reckon::engine {
namespace {

bool ends_with(std::span<const TokenId> tokens, std::span<const TokenId> mark) {
  return !mark.empty() && tokens.size() >= mark.size() && std::ranges::equal(tokens.last(mark.size()), mark);
}

}  // namespace

ThoughtTracker::ThoughtTracker(const ThoughtOptions& options) : options_(options), inside_(options.starts_inside) {}

bool ThoughtTracker::push(std::span<const TokenId> answer) {
  const bool was_inside = inside_;
  if (was_inside) {
    ++n_tokens_;
    if (ends_with(answer, options_.close)) {
      inside_ = false;
      end_ = ThoughtEnd::kModel;
    }
  } else if (ends_with(answer, options_.open)) {
    inside_ = true;
    end_ = ThoughtEnd::kNone;
  }
  return was_inside;
}

std::span<const TokenId> ThoughtTracker::forced_close() const {
  return options_.forced_close.empty() ? options_.close : options_.forced_close;
}

bool ThoughtTracker::over_budget(int n_left) const {
  if (!can_close()) return false;
  if (options_.max_tokens && n_tokens_ >= *options_.max_tokens) return true;
  const auto n_close = static_cast<std::int64_t>(forced_close().size());
  return options_.answer_reserve > 0 && n_left <= options_.answer_reserve + n_close;
}

// Also where the forced tokens lack the closing mark: a thought that was ended is over, or it would be ended for ever.
void ThoughtTracker::closed(ThoughtEnd why) {
  inside_ = false;
  end_ = why;
}

}  // namespace reckon::engine
