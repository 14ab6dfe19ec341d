#include "grammar/token_trie.h"

#include <algorithm>
#include <string_view>

namespace reckon::grammar {
namespace {

struct Entry {
  std::uint64_t head;  // the first eight bytes, so that most comparisons need no text
  std::string_view text;
  TokenId id;
};

std::uint64_t head_of(std::string_view text) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    head = head << 8 | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U);
  }
  return head;
}

}  // namespace

TokenTrie::TokenTrie(const Tokenizer& tokenizer) : n_vocab_(std::max(tokenizer.n_vocab(), 0)) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(n_vocab_));
  text_begin_.reserve(static_cast<std::size_t>(n_vocab_) + 1);
  for (TokenId id = 0; id < n_vocab_; ++id) {
    text_begin_.push_back(static_cast<std::uint32_t>(text_.size()));
    if (tokenizer.is_end_of_generation(id)) {
      end_tokens_.push_back(id);
      continue;
    }
    const std::string_view text = tokenizer.token_bytes(id);
    if (tokenizer.is_control(id) || text.empty() || text.size() > kMaxTokenBytes) continue;
    text_.insert(text_.end(), text.begin(), text.end());
    entries.push_back({head_of(text), text, id});
  }
  text_begin_.push_back(static_cast<std::uint32_t>(text_.size()));
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    if (a.head != b.head) return a.head < b.head;
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  std::vector<std::uint32_t> open;  // the path to the last node
  std::string_view previous;
  for (const Entry& entry : entries) {
    std::size_t common = 0;
    while (common < previous.size() && common < entry.text.size() && previous[common] == entry.text[common]) ++common;
    for (; open.size() > common; open.pop_back()) nodes_[open.back()].end = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t depth = common; depth < entry.text.size(); ++depth) {
      open.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({0, static_cast<std::uint32_t>(n_vocab_), static_cast<std::uint16_t>(depth + 1),
                        static_cast<std::uint8_t>(entry.text[depth])});
    }
    std::uint32_t& token = nodes_[open.back()].token;
    if (token == static_cast<std::uint32_t>(n_vocab_)) {
      token = static_cast<std::uint32_t>(entry.id);
    } else {
      copies_.push_back({static_cast<TokenId>(token), entry.id});
    }
    max_depth_ = std::max(max_depth_, entry.text.size());
    previous = entry.text;
  }
  for (const std::uint32_t node : open) nodes_[node].end = static_cast<std::uint32_t>(nodes_.size());
}

std::string_view TokenTrie::bytes_of(TokenId id) const {
  if (id < 0 || id >= n_vocab_) return {};
  const auto i = static_cast<std::size_t>(id);
  return {text_.data() + text_begin_[i], text_begin_[i + 1] - text_begin_[i]};
}

}  // namespace reckon::grammar
