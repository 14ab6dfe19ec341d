#include "grammar/token_sets.h"

#include <bit>
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
template <class OnToken>
void TokenSets::walk(LazyDfa::Id start, std::size_t begin, std::size_t end, OnToken on_token) {
  ends_.clear();
  if (begin == end) return;
  path_[trie_->node(begin).depth - 1U] = start;
  std::size_t i = begin;
  std::size_t n_steps = 0;
  LazyDfa::Id* const path = path_.data();
  // No branch here that a processor cannot foresee: whether a node has a token or children is as good as random.
  while (i < end) {
    const TrieNode& node = trie_->node(i);
    ++n_steps;
    const LazyDfa::Id id = dfa_.next(path[node.depth - 1U], node.byte);
    if (id == LazyDfa::kDead) {
      i = node.end;
      continue;
    }
    on_token(node.token);
    if (dfa_.at_bottom(id) && node.end != i + 1) ends_.push_back(static_cast<std::uint32_t>(i));
    path[node.depth] = id;
    i = dfa_.reads(id) ? i + 1 : node.end;
  }
  n_steps_ += n_steps;
}

std::shared_ptr<const TokenSets::TokenSet> TokenSets::make_set(StateId state) {
  auto set = std::make_shared<TokenSet>();
  const std::size_t n_words = trie_->n_mask_words();
  bits_.assign(n_words + 1, 0);
  std::uint64_t* const bits = bits_.data();
  walk(dfa_.of_state(state), 0, trie_->size(),
       [bits](std::uint32_t token) { bits[token / 64] |= std::uint64_t{1} << (token % 64); });
  const auto none = static_cast<std::uint32_t>(trie_->n_vocab());
  bits[none / 64] &= ~(std::uint64_t{1} << (none % 64));
  set->ends = ends_;
  std::size_t n_tokens = 0;
  for (const std::uint64_t word : bits_) n_tokens += static_cast<std::size_t>(std::popcount(word));
  if (n_tokens * sizeof(TokenId) > n_words * sizeof(std::uint64_t)) {
    set->bits.assign(bits_.begin(), bits_.begin() + static_cast<std::ptrdiff_t>(n_words));
    return set;
  }
  set->ids.reserve(n_tokens);
  for (std::size_t word = 0; word < n_words; ++word) {
    for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1) {
      set->ids.push_back(static_cast<TokenId>(64 * word + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
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
  const auto none = static_cast<std::uint32_t>(trie_->n_vocab());
  pending_.push_back({node, stack});
  while (!pending_.empty() && n_steps_ < kMaxWalkSteps) {
    const Pending now = pending_.back();
    pending_.pop_back();
    ++n_steps_;
    if (now.stack == kBottom) continue;  // the text is complete: nothing may follow
    const Frame frame = pool[now.stack];
    const LazyDfa::Id start = dfa_.from_state(frame.state);
    if (dfa_.at_bottom(start)) pending_.push_back({now.node, frame.below});
    walk(start, now.node + 1U, trie_->node(now.node).end, [&](std::uint32_t token) {
      if (token != none) set_bit(mask, static_cast<TokenId>(token));
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
  for (const TokenTrie::Copy& copy : trie_->copies()) {
    const auto bit = static_cast<std::uint32_t>(copy.of);
    if ((mask[bit / 64] >> (bit % 64) & 1) != 0) set_bit(mask, copy.id);
  }
  return {};
}

}  // namespace reckon::grammar
