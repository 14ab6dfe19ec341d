#pragma once
// The slow twin of matcher.h, for tests: it reads the syntax trees as they are, character by character, and keeps every
// way to read the text so far. Nothing is compiled, shared, merged or kept. Not thread-safe.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/syntax.h"
#include "reckon/tokenizer.h"

namespace reckon::grammar {

class NaiveMatcher {
 public:
  // `syntax` must outlive it, be free of left recursion and within the limits.
  explicit NaiveMatcher(const Syntax& syntax);

  // False, and nothing changes, where the bytes do not go on with some text of the grammar.
  bool accept(std::string_view bytes);
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] std::size_t n_ways() const { return ways_.size(); }

 private:
  // What is still to be read: a node, or the rest of one. The meaning of `at` depends on the kind: the byte of a
  // literal, the child of a sequence, the repetitions done.
  struct Part {
    NodeId node = 0;
    std::uint32_t at = 0;
    bool flag = false;  // members: something is written
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  // The next part is the last one; then the bytes of a character that has begun (for a class).
  struct Way {
    std::vector<Part> todo;
    std::string begun;
    friend auto operator<=>(const Way&, const Way&) = default;
  };

  void expand(Way way, std::set<Way>& out, std::set<Way>& seen) const;
  void expand_members(const Node& node, const Way& rest, Part part, std::set<Way>& out, std::set<Way>& seen) const;
  bool step(const Way& way, char byte, Way& next) const;

  const Syntax* syntax_;
  std::set<Way> ways_;  // each stands before a character, or has nothing left
};

}  // namespace reckon::grammar
