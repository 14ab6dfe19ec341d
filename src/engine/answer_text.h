#pragma once
// From the tokens of an answer to text that can be shown: whole characters, no stop string, thought and answer apart.
// Owner: the sequence.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/tokenizer.h"
#include "sample/stop_matcher.h"

namespace reckon::engine {

class AnswerText {
 public:
  AnswerText(const Tokenizer& tokenizer, std::span<const std::string> stop_strings);

  struct TokenPlace {
    bool in_thought = false;
    bool may_stop = true;  // stop strings are looked for
  };
  // True: a stop string is complete; no more may be pushed.
  bool push(TokenId id, TokenPlace place);
  // Releases what is held back for a stop string and, unless the answer was cut off, for a character.
  void finish(bool was_cut_off);

  struct Piece {
    std::string_view text;  // until clear_taken() or push()
    bool in_thought = false;
  };
  // The next text that is ready and lies on one side; empty where there is none.
  std::optional<Piece> take_piece();
  [[nodiscard]] bool has_piece() const { return n_taken_ < ready_.size(); }
  void clear_taken();

 private:
  struct Run {
    bool in_thought = false;
    std::size_t n_bytes = 0;
  };
  bool push_text(std::string_view text, TokenPlace place);

  StreamDecoder decoder_;
  sample::StopMatcher matcher_;
  TokenPlace last_place_;
  std::string ready_;  // certain, not yet taken from n_taken_ on
  std::size_t n_taken_ = 0;
  std::vector<Run> runs_;  // sides of the text from n_taken_ on, then of what the matcher holds
};

}  // namespace reckon::engine
