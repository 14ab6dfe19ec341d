#include "sample/stop_matcher.h"

#include <algorithm>

#include "base/check.h"

namespace reckon::sample {

StopMatcher::StopMatcher(std::span<const std::string> strings) {
  std::size_t longest = 0;
  for (const std::string& text : strings) {
    RECKON_CHECK(!text.empty());
    longest = std::max(longest, text.size());
    Pattern& pattern = patterns_.emplace_back();
    pattern.text = text;
    pattern.fallback.assign(text.size() + 1, 0);
    for (std::size_t i = 1, border = 0; i < text.size(); ++i) {
      while (border > 0 && text[i] != text[border]) border = pattern.fallback[border];
      if (text[i] == text[border]) ++border;
      pattern.fallback[i + 1] = border;
    }
  }
  held_.reserve(longest + 1);
}

void StopMatcher::advance(Pattern& pattern, char c) {
  while (pattern.n_matched > 0 && pattern.text[pattern.n_matched] != c) {
    pattern.n_matched = pattern.fallback[pattern.n_matched];
  }
  if (pattern.text[pattern.n_matched] == c) ++pattern.n_matched;
}

bool StopMatcher::push(std::string_view text, std::string& out) {
  if (patterns_.empty()) {
    out += text;
    return false;
  }
  for (const char c : text) {
    held_ += c;
    std::size_t n_keep = 0;
    std::size_t n_complete = 0;
    for (Pattern& pattern : patterns_) {
      advance(pattern, c);
      if (pattern.n_matched == pattern.text.size()) n_complete = std::max(n_complete, pattern.text.size());
      n_keep = std::max(n_keep, pattern.n_matched);
    }
    if (n_complete > 0) {
      out.append(held_, 0, held_.size() - n_complete);
      held_.clear();
      return true;
    }
    out.append(held_, 0, held_.size() - n_keep);
    held_.erase(0, held_.size() - n_keep);
  }
  return false;
}

void StopMatcher::finish(std::string& out) {
  out += held_;
  held_.clear();
  for (Pattern& pattern : patterns_) pattern.n_matched = 0;
}

}  // namespace reckon::sample
