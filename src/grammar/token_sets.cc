#include "grammar/token_sets.h"

#include <utility>

#include "grammar/limits.h"

namespace reckon::grammar {
namespace {

void set_bit(std::span<std::uint64_t> mask, TokenId id) {
  const auto bit = static_cast<std::uint32_t>(id);
  mask[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

std::size_t TokenSets::TokenSet::n_bytes() const {
  return sizeof(TokenSet) + 128 + 8 * bits.capacity() + 4 * (ids.capacity() + ends.capacity());
}

TokenSets::TokenSets(const Automaton& automaton, const TokenTrie& trie)
    : trie_(&trie), dfa_(automaton), path_(trie.max_depth() + 1) {}

// Visits the nodes begin..end, which are the children of one node and all below them. Leaves in ends_ the nodes where
// the stack below would be asked.
template <class OnTokens>
void TokenSets::walk(LazyDfa::Id start, std::size_t begin, std::size_t end, OnTokens on_tokens) {
  ends_.clear();
  if (begin == end) return;
  path_[trie_->node(begin).depth - 1U] = start;
  for (std::size_t i = begin; i < end;) {
    const TrieNode& node = trie_->node(i);
    ++n_steps_;
    const LazyDfa::Id id = dfa_.next(path_[node.depth - 1U], node.byte);
    if (id == LazyDfa::kDead) {
      i = node.end;
      continue;
    }
    on_tokens(trie_->tokens_at(i));
    if (node.end == i + 1) {
      ++i;
      continue;
    }
    if (dfa_.at_bottom(id)) ends_.push_back(static_cast<std::uint32_t>(i));
    path_[node.depth] = id;
    i = dfa_.reads(id) ? i + 1 : node.end;
  }
}

std::shared_ptr<const TokenSets::TokenSet> TokenSets::make_set(StateId state) {
  auto set = std::make_shared<TokenSet>();
  const std::size_t n_words = trie_->n_mask_words();
  walk(dfa_.of_state(state), 0, trie_->size(),
       [&](std::span<const TokenId> tokens) { set->ids.insert(set->ids.end(), tokens.begin(), tokens.end()); });
  set->ends = ends_;
  if (set->ids.size() * sizeof(TokenId) > n_words * sizeof(std::uint64_t)) {
    set->bits.resize(n_words);
    for (const TokenId id : set->ids) set_bit(set->bits, id);
    set->ids = {};
  }
  set->ids.shrink_to_fit();
  return set;
}

void TokenSets::keep(StateId state, std::shared_ptr<const TokenSet> set) {
  kept_bytes_ += set->n_bytes();
  uses_.push_front(state);
  kept_.emplace(state, Kept{std::move(set), uses_.begin()});
  while (kept_bytes_ > kTokenSetBytes && uses_.size() > 1) {
    const auto oldest = kept_.find(uses_.back());
    kept_bytes_ -= oldest->second.set->n_bytes();
    kept_.erase(oldest);
    uses_.pop_back();
  }
}

std::shared_ptr<const TokenSets::TokenSet> TokenSets::set_of(StateId state) {
  if (const auto found = kept_.find(state); found != kept_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second.set;
  }
  auto set = make_set(state);
  if (!dfa_.is_over()) keep(state, set);
  return set;
}

// The tokens below `node` whose rest, after the bytes up to there, fits what lies on the stack.
void TokenSets::add_below(std::uint32_t node, FrameId stack, const FramePool& pool, std::span<std::uint64_t> mask) {
  pending_.push_back({node, stack});
  while (!pending_.empty() && n_steps_ < kMaxWalkSteps) {
    const Pending now = pending_.back();
    pending_.pop_back();
    ++n_steps_;
    if (now.stack == kBottom) continue;  // the text is complete: nothing may follow
    const Frame frame = pool[now.stack];
    const LazyDfa::Id start = dfa_.from_state(frame.state);
    if (dfa_.at_bottom(start)) pending_.push_back({now.node, frame.below});
    walk(start, now.node + 1U, trie_->node(now.node).end, [&](std::span<const TokenId> tokens) {
      for (const TokenId id : tokens) set_bit(mask, id);
    });
    for (const std::uint32_t end : ends_) pending_.push_back({end, frame.below});
  }
  pending_.clear();
}

Result<void> TokenSets::add_tokens(std::span<const Place> places, const FramePool& pool,
                                   std::span<std::uint64_t> mask) {
  const std::lock_guard lock(mutex_);
  n_steps_ = 0;
  for (const Place place : places) {
    dfa_.begin_walk();
    const auto set = set_of(place.state);
    for (std::size_t i = 0; i < set->bits.size(); ++i) mask[i] |= set->bits[i];
    for (const TokenId id : set->ids) set_bit(mask, id);
    for (const std::uint32_t node : set->ends) add_below(node, place.stack, pool, mask);
    if (dfa_.is_over() || n_steps_ >= kMaxWalkSteps) {
      return fail(ErrorCode::kLimit, "the grammar is too ambiguous at this point: too many ways to read the text");
    }
  }
  return {};
}

}  // namespace reckon::grammar
