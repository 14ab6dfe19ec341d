#include "engine/answer_text.h"

#include <algorithm>

#include "base/check.h"

namespace reckon::engine {

AnswerText::AnswerText(const Tokenizer& tokenizer, std::span<const std::string> stop_strings)
    : decoder_(tokenizer), matcher_(stop_strings) {
  ready_.reserve(4096);
  runs_.reserve(64);
}

bool AnswerText::push(TokenId id, TokenPlace place) {
  last_place_ = place;
  return push_text(decoder_.push(id), place);
}

bool AnswerText::push_text(std::string_view text, TokenPlace place) {
  if (text.empty()) return false;
  if (runs_.empty() || runs_.back().in_thought != place.in_thought) runs_.push_back({.in_thought = place.in_thought});
  runs_.back().n_bytes += text.size();
  if (place.may_stop) return matcher_.push(text, ready_);
  matcher_.finish(ready_);
  ready_ += text;
  return false;
}

void AnswerText::finish(bool was_cut_off) {
  const std::string half_a_character = decoder_.finish();
  if (!was_cut_off && push_text(half_a_character, last_place_)) return;
  matcher_.finish(ready_);
}

std::optional<AnswerText::Piece> AnswerText::take_piece() {
  if (!has_piece()) return std::nullopt;
  RECKON_CHECK(!runs_.empty());
  Run& run = runs_.front();
  const std::size_t n = std::min(run.n_bytes, ready_.size() - n_taken_);
  const Piece piece{std::string_view(ready_).substr(n_taken_, n), run.in_thought};
  n_taken_ += n;
  run.n_bytes -= n;
  if (run.n_bytes == 0) runs_.erase(runs_.begin());
  return piece;
}

void AnswerText::clear_taken() {
  ready_.erase(0, n_taken_);
  n_taken_ = 0;
}

}  // namespace reckon::engine
