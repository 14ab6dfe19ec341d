#include "tokenizer/token_index.h"

#include <bit>
#include <functional>

#include "base/check.h"

namespace reckon::tokenizer {
namespace {

// Folded to 32 bits: the slots stay at 8 bytes, and a stored hash spares nearly every comparison of a miss.
std::uint32_t hash_of(std::string_view text) {
  const std::uint64_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

}  // namespace

TokenIndex::TokenIndex(const TokenTexts& texts, std::size_t n_tokens)
    : texts_(&texts), slots_(std::bit_ceil(2 * n_tokens + 2), Slot{0, -1}) {}

std::size_t TokenIndex::slot_of(std::string_view text) const {
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].id >= 0 && (slots_[i].hash != hash || (*texts_)[slots_[i].id] != text)) i = (i + 1) & mask;
  return i;
}

bool TokenIndex::insert(TokenId id) {
  RECKON_CHECK(id >= 0 && static_cast<std::size_t>(id) < texts_->size());
  const std::string_view text = (*texts_)[id];
  Slot& slot = slots_[slot_of(text)];
  if (slot.id >= 0) return false;
  slot = {hash_of(text), id};
  return true;
}

TokenId TokenIndex::find(std::string_view text) const { return slots_[slot_of(text)].id; }

}  // namespace reckon::tokenizer
