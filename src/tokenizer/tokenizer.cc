// What every Tokenizer shares, and the decoder of streams.
#include "reckon/tokenizer.h"

#include "text/utf8.h"

namespace reckon {

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool parse_special, bool add_bos) const {
  const Segment segment{std::string(text), parse_special};
  return encode(std::span(&segment, 1), EncodeOptions{add_bos});
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string out;
  for (const TokenId id : ids) out += token_bytes(id);
  return out;
}

std::string StreamDecoder::push(TokenId id) {
  pending_ += tokenizer_->token_bytes(id);
  const std::size_t n_whole = pending_.size() - text::unfinished_utf8_tail(pending_);
  std::string out = text::repair_utf8(std::string_view(pending_).substr(0, n_whole));
  pending_.erase(0, n_whole);
  return out;
}

std::string StreamDecoder::finish() {
  std::string out = text::repair_utf8(pending_);
  pending_.clear();
  return out;
}

}  // namespace reckon
