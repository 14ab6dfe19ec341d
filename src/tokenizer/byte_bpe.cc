#include "tokenizer/byte_bpe.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "tokenizer/nfc.h"

namespace reckon::tokenizer {
namespace {

constexpr std::uint8_t kControlRole = 1;
constexpr std::uint8_t kEndRole = 2;

// What template text is searched for: a matcher takes 28 bytes of memory for each byte of these. Real models have some
// 10 KiB.
constexpr std::size_t kMaxSpecialBytes = 4096;
constexpr std::size_t kMaxAllSpecialBytes = std::size_t{1} << 20;

struct Joined {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> templates;  // maximal stretches of template text
};

Joined join(std::span<const Segment> segments) {
  Joined joined;
  std::size_t n_bytes = 0;
  for (const Segment& segment : segments) n_bytes += segment.text.size();
  joined.text.reserve(n_bytes);
  for (const Segment& segment : segments) {
    const std::size_t begin = joined.text.size();
    joined.text += segment.text;
    if (!segment.is_template || segment.text.empty()) continue;
    if (!joined.templates.empty() && joined.templates.back().second == begin) {
      joined.templates.back().second = joined.text.size();
    } else {
      joined.templates.emplace_back(begin, joined.text.size());
    }
  }
  return joined;
}

TokenId checked_id(std::optional<std::int64_t> id, std::string_view key, TokenId n_vocab) {
  if (!id) return -1;
  if (*id >= 0 && *id < n_vocab) return static_cast<TokenId>(*id);
  // How some converters write "none": -1, or the same in 32 bits.
  if (*id != -1 && *id != 0xFFFFFFFF) {
    log_line(LogLevel::kWarning,
             fmt::format("tokenizer: tokenizer.ggml.{} is {}, outside the vocabulary of {} tokens; taken as absent",
                         key, *id, n_vocab));
  }
  return -1;
}

const Family& family_of(const VocabularyData& data, const Vocabulary& vocabulary) {
  if (const Family* family = find_family(data.pre)) return *family;
  const Family& guess = guess_family(vocabulary);
  const std::string found = data.pre.empty() ? "is missing" : fmt::format("\"{}\" is unknown", data.pre.substr(0, 40));
  log_line(
      LogLevel::kWarning,
      fmt::format("tokenizer: tokenizer.ggml.pre {}; \"{}\" fits the vocabulary best and is used", found, guess.name));
  return guess;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_tokenizer(const VocabularyData& data) {
  RECKON_TRY(auto vocabulary, check_vocabulary(data));
  const TokenId n = vocabulary->size();
  const SpecialIds ids{.bos = checked_id(data.bos, "bos_token_id", n),
                       .eos = checked_id(data.eos, "eos_token_id", n),
                       .eot = checked_id(data.eot, "eot_token_id", n),
                       .eom = checked_id(data.eom, "eom_token_id", n)};
  const Family& family = family_of(data, *vocabulary);
  MergeTable merges = make_merges(data, *vocabulary);
  const bool adds_bos = ids.bos >= 0 && data.add_bos.value_or(family.adds_bos);
  return std::make_unique<ByteBpe>(std::move(vocabulary), std::move(merges), family, ids, adds_bos);
}

ByteBpe::ByteBpe(std::unique_ptr<const Vocabulary> vocabulary, MergeTable merges, const Family& family, SpecialIds ids,
                 bool adds_bos)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      family_(family),
      ids_(ids),
      adds_bos_(adds_bos),
      roles_(static_cast<std::size_t>(vocabulary_->size()), 0) {
  std::size_t n_special_bytes = 0, n_too_long = 0;
  for (TokenId id = 0; id < vocabulary_->size(); ++id) {
    if (!vocabulary_->is_special(id)) continue;
    const std::string_view text = vocabulary_->bytes(id);
    if (text.size() <= kMaxSpecialBytes && n_special_bytes + text.size() <= kMaxAllSpecialBytes) {
      n_special_bytes += text.size();
      matcher_.add(text, id);
    } else {
      ++n_too_long;
    }
    std::uint8_t& role = roles_[static_cast<std::size_t>(id)];
    if (is_known_end_text(text)) role |= kEndRole | kControlRole;
    const bool control = vocabulary_->type(id) != TokenType::kUserDefined || looks_like_control(text);
    if (control && !is_visible_mark(text)) role |= kControlRole;
  }
  matcher_.link();
  if (n_too_long > 0) {
    log_line(LogLevel::kWarning,
             fmt::format(
                 "tokenizer: {} control tokens are longer than {} bytes, or than {} in all; templates cannot use them",
                 n_too_long, kMaxSpecialBytes, kMaxAllSpecialBytes));
  }
  for (const TokenId id : {ids.eos, ids.eot, ids.eom}) {
    if (id >= 0) roles_[static_cast<std::size_t>(id)] |= kEndRole;
  }
  bool ends = false;
  for (const std::uint8_t role : roles_) ends = ends || (role & kEndRole) != 0;
  if (!ends)
    log_line(LogLevel::kWarning,
             "tokenizer: the file names no token that ends an answer; only max_tokens and stop strings will");
}

std::vector<TokenId> ByteBpe::encode(std::span<const Segment> segments, EncodeOptions options) const {
  const Joined joined = join(segments);
  const std::string_view text = joined.text;
  std::vector<SpecialMatch> matches;
  for (const auto& [begin, end] : joined.templates) matcher_.find_all(text, begin, end, matches);

  std::vector<TokenId> out;
  out.reserve(text.size() / 3 + 2);
  const bool has_bos = !matches.empty() && matches[0].begin == 0 && matches[0].id == ids_.bos;
  if (options.add_bos && ids_.bos >= 0 && !has_bos) out.push_back(ids_.bos);
  WordEncoder encoder(merges_, vocabulary_->byte_tokens());
  std::size_t at = 0;
  for (const SpecialMatch& match : matches) {
    encode_text(text.substr(at, match.begin - at), encoder, out);
    out.push_back(match.id);
    at = match.end;
  }
  encode_text(text.substr(at), encoder, out);
  return out;
}

// Text between control tokens, from whichever segments: words may reach over the borders of segments, as in the joined
// string.
void ByteBpe::encode_text(std::string_view text, WordEncoder& encoder, std::vector<TokenId>& out) const {
  std::string normalised;
  if (family_.nfc && may_need_nfc(text)) {
    normalised = to_nfc(text);
    text = normalised;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(family_.pattern, text, at);
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (family_.whole_words) {
      if (const TokenId id = vocabulary_->find_plain(word); id >= 0) {
        out.push_back(id);
        continue;
      }
    }
    encoder.encode(word, out);
  }
}

std::string_view ByteBpe::token_bytes(TokenId id) const {
  return vocabulary_->has(id) ? vocabulary_->bytes(id) : std::string_view();
}

bool ByteBpe::is_control(TokenId id) const {
  return vocabulary_->has(id) && (roles_[static_cast<std::size_t>(id)] & kControlRole) != 0;
}

bool ByteBpe::is_end_of_generation(TokenId id) const {
  return vocabulary_->has(id) && (roles_[static_cast<std::size_t>(id)] & kEndRole) != 0;
}

TokenId ByteBpe::find(std::string_view text) const {
  const TokenId special = vocabulary_->find_special(text);
  return special >= 0 ? special : vocabulary_->find_plain(text);
}

}  // namespace reckon::tokenizer
