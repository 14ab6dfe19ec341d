#include "chat/jinja/occurrences.h"

#include "base/check.h"

namespace reckon::chat::jinja {

Occurrences::Occurrences(std::string_view text, std::string_view pattern) : text_(text), pattern_(pattern) {
  RECKON_CHECK(!pattern.empty());
  if (pattern.size() > text.size()) return;
  border_.resize(pattern.size());
  for (std::size_t i = 1, length = 0; i < pattern.size(); ++i) {
    while (length > 0 && pattern[i] != pattern[length]) length = border_[length - 1];
    if (pattern[i] == pattern[length]) ++length;
    border_[i] = static_cast<std::uint32_t>(length);  // texts are far below 4 GiB (limits.h)
  }
}

std::size_t Occurrences::next() {
  if (border_.empty()) return std::string_view::npos;
  for (std::size_t length = 0; at_ < text_.size(); ++at_) {
    if (length == 0) {  // most of a text is far from any match
      at_ = text_.find(pattern_[0], at_);
      if (at_ == std::string_view::npos) break;
    }
    while (length > 0 && text_[at_] != pattern_[length]) length = border_[length - 1];
    if (text_[at_] == pattern_[length]) ++length;
    if (length == pattern_.size()) return ++at_ - length;
  }
  at_ = text_.size();
  return std::string_view::npos;
}

}  // namespace reckon::chat::jinja
