#include "grammar/matcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "grammar/limits.h"

namespace reckon::grammar {

CompiledGrammar::CompiledGrammar(Automaton automaton, std::shared_ptr<const TokenTrie> trie)
    : automaton_(std::move(automaton)), trie_(std::move(trie)), token_sets_(automaton_, *trie_) {}

Result<std::shared_ptr<const Grammar>> CompiledGrammar::create(const Syntax& syntax,
                                                               std::shared_ptr<const TokenTrie> trie) {
  RECKON_TRY(Automaton automaton, Automaton::compile(syntax));
  return std::make_shared<const CompiledGrammar>(std::move(automaton), std::move(trie));
}

std::unique_ptr<GrammarMatcher> CompiledGrammar::matcher() const {
  return std::make_unique<Matcher>(shared_from_this());
}

Matcher::Matcher(std::shared_ptr<const CompiledGrammar> grammar)
    : grammar_(std::move(grammar)), closure_(grammar_->automaton()) {
  const Place start{grammar_->automaton().start(), kBottom};
  is_over_ = !closure_.close({&start, 1}, pool_, config_);
}

Result<void> Matcher::fill_mask(std::span<std::uint64_t> mask) {
  RECKON_CHECK(mask.size() >= grammar_->trie().n_mask_words());
  std::ranges::fill(mask, 0);
  if (is_over_) return fail(ErrorCode::kLimit, "the grammar is too ambiguous: too many ways to read the text so far");
  RECKON_TRY_VOID(grammar_->token_sets().add_tokens(config_.places, pool_, mask));
  if (config_.at_bottom) {
    for (const TokenId id : grammar_->trie().end_tokens()) {
      const auto bit = static_cast<std::uint32_t>(id);
      mask[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  } else if (std::ranges::all_of(mask, [](std::uint64_t word) { return word == 0; })) {
    return fail(ErrorCode::kUnsupported, "no token of the model's vocabulary fits the grammar at this point");
  }
  return {};
}

bool Matcher::accept(TokenId id) {
  if (is_over_) return false;
  if (config_.at_bottom && std::ranges::binary_search(grammar_->trie().end_tokens(), id)) {
    config_.places.clear();
    return true;
  }
  const std::string_view bytes = grammar_->trie().bytes_of(id);
  if (bytes.empty()) return false;
  const Config before = config_;
  for (const char byte : bytes) {
    if (!closure_.step(config_, static_cast<std::uint8_t>(byte), pool_, next_)) {
      is_over_ = true;  // the next mask says so
      return true;
    }
    std::swap(config_, next_);
    if (config_.is_dead()) {
      config_ = before;
      return false;
    }
  }
  if (pool_.size() > collect_at_) drop_unused_frames();
  return true;
}

// Copies the stacks that are in use to a new pool. A frame lies behind the one below it, so one pass marks and one
// copies.
void Matcher::drop_unused_frames() {
  std::vector<bool> in_use(pool_.size());
  for (const Place place : config_.places) in_use[place.stack] = true;
  for (std::size_t i = pool_.size(); i-- > 1;) {
    if (in_use[i]) in_use[pool_[static_cast<FrameId>(i)].below] = true;
  }
  FramePool kept;
  std::vector<FrameId> moved(pool_.size(), kBottom);
  for (std::size_t i = 1; i < pool_.size(); ++i) {
    const Frame frame = pool_[static_cast<FrameId>(i)];
    if (in_use[i]) moved[i] = kept.push(frame.state, moved[frame.below]);
  }
  for (Place& place : config_.places) place.stack = moved[place.stack];
  std::ranges::sort(config_.places);
  pool_ = std::move(kept);
  collect_at_ = std::max<std::size_t>(4096, 2 * pool_.size());
}

}  // namespace reckon::grammar
