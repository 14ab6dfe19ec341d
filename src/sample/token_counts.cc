#include "sample/token_counts.h"

#include <bit>

#include "base/check.h"
#include "sample/random.h"

namespace reckon::sample {

TokenCounts::TokenCounts(std::size_t max_tokens) {
  entries_.reserve(max_tokens);
  slots_.resize(std::bit_ceil(2 * max_tokens + 1), -1);
}

TokenCounts::Entry& TokenCounts::find_or_add(TokenId id) {
  RECKON_CHECK(!slots_.empty());
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mix_bits(static_cast<std::uint32_t>(id)) & mask;
  while (slots_[slot] >= 0) {
    Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
    if (entry.id == id) return entry;
    slot = (slot + 1) & mask;
  }
  RECKON_CHECK(entries_.size() < entries_.capacity());
  slots_[slot] = static_cast<std::int32_t>(entries_.size());
  return entries_.emplace_back(Entry{.id = id});
}

}  // namespace reckon::sample
