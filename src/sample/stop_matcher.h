#pragma once
// Finds stop strings in streamed text, also where they lie across pieces. Text that may be the start of a stop string
// is held back. The first match is the one that is complete first; of two that end together, the one that starts first.
// Owner: the sequence. Cost: linear in the text, times the number of stop strings (Knuth, Morris, Pratt 1977).

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::sample {

class StopMatcher {
 public:
  StopMatcher() = default;                                     // nothing to find: all text goes straight through
  explicit StopMatcher(std::span<const std::string> strings);  // none empty

  // Appends to `out` the text that is certain now. True: a stop string is complete, `out` ends where it starts, and
  // nothing may be pushed any more.
  bool push(std::string_view text, std::string& out);
  // Appends what is held back, for the stream ended without a match; what is pushed after that is a new stream.
  void finish(std::string& out);

  [[nodiscard]] std::size_t n_held() const { return held_.size(); }

 private:
  struct Pattern {
    std::string text;
    std::vector<std::size_t> fallback;  // [i]: length of the longest proper border of text[0, i)
    std::size_t n_matched = 0;
  };
  static void advance(Pattern& pattern, char c);

  std::vector<Pattern> patterns_;
  std::string held_;  // the longest n_matched of all patterns, at most one stop string
};

}  // namespace reckon::sample
