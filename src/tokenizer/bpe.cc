#include "tokenizer/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace reckon::tokenizer {
namespace {

constexpr std::size_t kShortWord = 32;                      // up to here scanning beats a heap
constexpr std::size_t kLongestWord = std::size_t{1} << 30;  // positions fit 32 bits; longer words are cut
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

MergeTable::MergeTable(std::size_t n_merges) : slots_(std::bit_ceil(2 * n_merges + 2)), mask_(slots_.size() - 1) {}

void MergeTable::insert(TokenId left, TokenId right, Merge merge) {
  const std::uint64_t key = key_of(left, right);
  std::size_t i = slot_of(key);
  while (slots_[i].key != kFree && slots_[i].key != key) i = (i + 1) & mask_;
  if (slots_[i].key == kFree) slots_[i] = {key, merge};
}

void WordEncoder::encode(std::string_view word, std::vector<TokenId>& out) {
  for (; !word.empty(); word.remove_prefix(std::min(word.size(), kLongestWord))) {
    ids_.clear();
    for (const char c : word.substr(0, kLongestWord)) {
      const TokenId id = (*byte_tokens_)[static_cast<std::uint8_t>(c)];
      if (id >= 0) ids_.push_back(id);
    }
    if (ids_.size() <= kShortWord) {
      encode_short(out);
    } else {
      encode_long(out);
    }
  }
}

void WordEncoder::encode_short(std::vector<TokenId>& out) {
  std::size_t n = ids_.size();
  pair_merges_.clear();
  for (std::size_t i = 0; i + 1 < n; ++i) pair_merges_.push_back(merges_->find(ids_[i], ids_[i + 1]));
  n_steps_ += n;
  while (n > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (pair_merges_[i].rank < pair_merges_[best].rank) best = i;
    }
    n_steps_ += n;
    if (pair_merges_[best].rank == kNoRank) break;
    ids_[best] = pair_merges_[best].joined;
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    pair_merges_.erase(pair_merges_.begin() + static_cast<std::ptrdiff_t>(best));
    --n;
    if (best + 1 < n) pair_merges_[best] = merges_->find(ids_[best], ids_[best + 1]);
    if (best > 0) pair_merges_[best - 1] = merges_->find(ids_[best - 1], ids_[best]);
  }
  out.insert(out.end(), ids_.begin(), ids_.end());
}

// Looks up the merge of the symbol with its next one and queues it.
void WordEncoder::set_merge(std::uint32_t position) {
  Symbol& symbol = symbols_[position];
  symbol.merge = symbol.next == kNone ? Merge{} : merges_->find(symbol.id, symbols_[symbol.next].id);
  ++n_steps_;
  if (symbol.merge.rank == kNoRank) return;
  heap_.push_back((static_cast<std::uint64_t>(symbol.merge.rank) << 32) | position);
}

void WordEncoder::encode_long(std::vector<TokenId>& out) {
  const auto n = static_cast<std::uint32_t>(ids_.size());
  symbols_.resize(n);
  heap_.clear();
  for (std::uint32_t i = 0; i < n; ++i) symbols_[i] = {ids_[i], i == 0 ? kNone : i - 1, i + 1 == n ? kNone : i + 1, {}};
  for (std::uint32_t i = 0; i < n; ++i) set_merge(i);
  std::ranges::make_heap(heap_, std::greater<>());
  const auto push_merge = [this](std::uint32_t position) {
    const std::size_t before = heap_.size();
    set_merge(position);
    if (heap_.size() > before) std::ranges::push_heap(heap_, std::greater<>());
  };
  while (!heap_.empty()) {
    ++n_steps_;
    const std::uint64_t entry = heap_.front();
    std::ranges::pop_heap(heap_, std::greater<>());
    heap_.pop_back();
    const auto position = static_cast<std::uint32_t>(entry);
    Symbol& symbol = symbols_[position];
    if (symbol.merge.rank != entry >> 32) continue;  // one of the two was joined with another since
    Symbol& gone = symbols_[symbol.next];
    symbol.id = symbol.merge.joined;
    gone.merge = {};
    symbol.next = gone.next;
    if (symbol.next != kNone) symbols_[symbol.next].previous = position;
    push_merge(position);
    if (symbol.previous != kNone) push_merge(symbol.previous);
  }
  for (std::uint32_t i = 0; i != kNone; i = symbols_[i].next) out.push_back(symbols_[i].id);
}

}  // namespace reckon::tokenizer
