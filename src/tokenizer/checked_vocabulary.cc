#include "tokenizer/checked_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/log.h"
#include "tokenizer/byte_level.h"

namespace reckon::tokenizer {
namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 24;

constexpr std::string_view kEndTexts[] = {
    "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>",           "<|end|>",
    "<|EOT|>",       "<end_of_turn>",   "<EOT>",      "</s>",       "<｜end▁of▁sentence｜>"};

constexpr std::string_view kVisibleMarks[] = {"<think>",      "</think>",        "<tool_call>",
                                              "</tool_call>", "<tool_response>", "</tool_response>"};

// Counts what was left out and says it once, with the first example.
class Skipped {
 public:
  explicit Skipped(std::string_view what) : what_(what) {}
  void add(std::string example) {
    if (n_++ == 0) example_ = std::move(example);
  }
  void report() const {
    if (n_ > 0) log_line(LogLevel::kWarning, fmt::format("tokenizer: {} {}, the first: {}", n_, what_, example_));
  }

 private:
  std::string_view what_;
  std::size_t n_ = 0;
  std::string example_;
};

std::optional<char> parse_byte_token(std::string_view text) {  // <0x0A>
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + digit;
  }
  return static_cast<char>(static_cast<std::uint8_t>(value));
}

Result<void> check_sizes(const VocabularyData& data) {
  if (data.model.empty())
    return fail(ErrorCode::kInvalidInput, "the file has no tokenizer: tokenizer.ggml.model is missing");
  if (data.model != "gpt2") {
    return fail(ErrorCode::kUnsupported,
                fmt::format("tokenizer.ggml.model is \"{}\"{}; only byte-level BPE (\"gpt2\") is supported so far",
                            data.model.substr(0, 40),
                            data.model == "llama"  ? " (SentencePiece)"
                            : data.model == "bert" ? " (WordPiece)"
                                                   : ""));
  }
  if (data.tokens.empty())
    return fail(ErrorCode::kInvalidInput, "tokenizer.ggml.tokens is missing or empty: the file has no vocabulary");
  if (data.tokens.size() > kMaxEntries || data.merges.size() > kMaxEntries) {
    return fail(ErrorCode::kLimit,
                fmt::format("the vocabulary has {} tokens and {} merges; at most {} of each are supported",
                            data.tokens.size(), data.merges.size(), kMaxEntries));
  }
  if (data.token_types && data.token_types->size() != data.tokens.size()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("tokenizer.ggml.token_type has {} entries for {} tokens; the file is damaged",
                            data.token_types->size(), data.tokens.size()));
  }
  return {};
}

}  // namespace

bool is_known_end_text(std::string_view text) { return std::ranges::find(kEndTexts, text) != std::end(kEndTexts); }

bool is_visible_mark(std::string_view text) {
  return std::ranges::find(kVisibleMarks, text) != std::end(kVisibleMarks);
}

bool looks_like_control(std::string_view text) {
  const auto framed = [&](std::string_view open, std::string_view close) {
    return text.size() > open.size() + close.size() && text.starts_with(open) && text.ends_with(close);
  };
  return framed("<|", "|>") || framed("<｜", "｜>");
}

class VocabularyChecker {
 public:
  explicit VocabularyChecker(const VocabularyData& data) : data_(data), result_(new Vocabulary(data.tokens.size())) {}

  std::unique_ptr<const Vocabulary> run() {
    if (!data_.token_types) {
      log_line(
          LogLevel::kWarning,
          "tokenizer: tokenizer.ggml.token_type is missing; tokens of the form <|...|> are taken as control tokens");
    }
    read_tokens();
    for (TokenId id = 0; id < result_->size(); ++id) index(id);
    find_byte_tokens();
    repeated_.report();
    bad_bytes_.report();
    bad_types_.report();
    upgraded_.report();
    return std::move(result_);
  }

 private:
  void read_tokens() {
    std::size_t n_bytes = 0;
    for (const std::string_view token : data_.tokens) n_bytes += token.size();
    result_->texts_.reserve(data_.tokens.size(), n_bytes);
    result_->types_.reserve(data_.tokens.size());
    for (std::size_t i = 0; i < data_.tokens.size(); ++i) {
      const std::string_view spelling = data_.tokens[i];
      TokenType type = type_of(i);
      std::string& text = result_->texts_.buffer();
      if (type == TokenType::kByte) {
        if (const auto byte = parse_byte_token(spelling)) {
          text.push_back(*byte);
        } else {
          bad_bytes_.add(fmt::format("token {}", i));
          type = TokenType::kNormal;
        }
      }
      if (type == TokenType::kNormal) {
        append_token_bytes(text, spelling);
      } else if (type != TokenType::kByte) {
        text.append(spelling);
      }
      result_->texts_.close();
      result_->types_.push_back(type);
    }
  }

  TokenType type_of(std::size_t i) {
    const std::string_view spelling = data_.tokens[i];
    if (!data_.token_types) {
      return looks_like_control(spelling) || is_known_end_text(spelling) || is_visible_mark(spelling)
                 ? TokenType::kControl
                 : TokenType::kNormal;
    }
    const std::int64_t type = (*data_.token_types)[i];
    if (type < 1 || type > 6) {
      bad_types_.add(fmt::format("token {} has type {}", i, type));
      return TokenType::kNormal;
    }
    if (type == 1 && looks_like_control(spelling) && is_known_end_text(spelling)) {
      upgraded_.add(fmt::format("token {}, {}", i, spelling));
      return TokenType::kControl;
    }
    return static_cast<TokenType>(type);
  }

  void index(TokenId id) {
    const TokenType type = result_->type(id);
    if (type == TokenType::kUnused || result_->bytes(id).empty()) return;
    if (type == TokenType::kByte) return;  // see find_byte_tokens
    TokenIndex& index = type == TokenType::kNormal ? result_->plain_ : result_->special_;
    if (!index.insert(id)) repeated_.add(fmt::format("token {}", id));
  }

  // The token of a byte in the byte alphabet; <0x0A> where that one is missing.
  void find_byte_tokens() {
    for (TokenId id = 0; id < result_->size(); ++id) {
      if (result_->type(id) == TokenType::kByte) (void)result_->plain_.insert(id);
    }
    std::size_t n_missing = 0;
    for (unsigned b = 0; b < 256; ++b) {
      const char byte = static_cast<char>(static_cast<std::uint8_t>(b));
      result_->byte_tokens_[b] = result_->plain_.find(std::string_view(&byte, 1));
      // C0, C1 and F5..FF never occur in UTF-8 text.
      if (result_->byte_tokens_[b] < 0 && b != 0xC0 && b != 0xC1 && b < 0xF5) ++n_missing;
    }
    if (n_missing > 0) {
      log_line(LogLevel::kInfo,
               fmt::format(
                   "tokenizer: the vocabulary has no token for {} of the bytes that text is made of; they are dropped",
                   n_missing));
    }
  }

  const VocabularyData& data_;
  std::unique_ptr<Vocabulary> result_;
  Skipped repeated_{"tokens repeat the text of an earlier one, which is kept"};
  Skipped bad_bytes_{"byte tokens are not of the form <0x0A> and are taken as text"};
  Skipped bad_types_{"tokens have an unknown type and are taken as text"};
  Skipped upgraded_{"tokens are marked as text but end a turn, and are taken as control tokens"};
};

Result<std::unique_ptr<const Vocabulary>> check_vocabulary(const VocabularyData& data) {
  RECKON_TRY_VOID(check_sizes(data));
  return VocabularyChecker(data).run();
}

MergeTable make_merges(const VocabularyData& data, const Vocabulary& vocabulary) {
  MergeTable merges(data.merges.size());
  Skipped unknown("merges name tokens that are not in the vocabulary and are left out");
  std::string left, right;
  for (std::size_t i = 0; i < data.merges.size(); ++i) {
    const std::string_view line = data.merges[i];
    const std::size_t space = line.find(' ', 1);  // a space in a token is spelled U+0120
    left.clear();
    right.clear();
    TokenId left_id = -1, right_id = -1, joined = -1;
    if (space != std::string_view::npos) {
      append_token_bytes(left, line.substr(0, space));
      append_token_bytes(right, line.substr(space + 1));
      left_id = vocabulary.find_plain(left);
      right_id = vocabulary.find_plain(right);
      joined = vocabulary.find_plain(left.append(right));
    }
    if (left_id < 0 || right_id < 0 || joined < 0) {
      unknown.add(fmt::format("merge {}", i));
      continue;
    }
    merges.insert(left_id, right_id, {static_cast<std::uint32_t>(i), joined});
  }
  unknown.report();
  return merges;
}

}  // namespace reckon::tokenizer
