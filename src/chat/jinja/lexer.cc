#include "chat/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {
namespace {

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_char(char c) { return is_name_start(c) || is_digit_char(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    while (at_ < source_.size()) RECKON_TRY_VOID(text_and_tag());
    add(TokenKind::kEnd, at_, at_);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool sees(std::string_view what, std::size_t at) const { return source_.substr(at).starts_with(what); }

  // Positions are asked for in rising order, so counting lines is linear over the whole source.
  Position position(std::size_t offset) {
    for (; counted_ < offset; ++counted_) {
      if (source_[counted_] == '\n') {
        ++line_;
        line_start_ = counted_ + 1;
      }
    }
    return {line_, static_cast<std::uint32_t>(offset - std::min(line_start_, offset) + 1)};
  }

  std::unexpected<Error> error_at(std::size_t offset, std::string_view message) {
    return fail(ErrorCode::kInvalidInput, located(position(offset), message));
  }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, position(begin), source_.substr(begin, end - begin)});
  }

  void add_data(std::size_t begin, std::size_t end) {
    if (begin < end) add(TokenKind::kData, begin, end);
  }

  [[nodiscard]] std::size_t skip_space(std::size_t i) const {
    while (i < source_.size()) {
      const Character c = character_at(source_, i);
      if (!is_space(c.code)) break;
      i += c.size;
    }
    return i;
  }

  // The end of the text in front of a tag whose opening is followed by `sign`.
  [[nodiscard]] std::size_t text_end(std::size_t begin, std::size_t end, char sign, bool is_variable) const {
    if (sign == '-') {
      while (end > begin) {
        const std::size_t start = character_start(source_, end);
        if (start < begin || !is_space(character_at(source_, start).code)) break;
        end = start;
      }
      return end;
    }
    if (sign == '+' || is_variable) return end;
    const std::string_view text = source_.substr(begin, end - begin);
    const std::size_t newline = text.rfind('\n');
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    if (line == 0 && !line_starting_) return end;
    return skip_space(begin + line) >= end ? begin + line : end;
  }

  [[nodiscard]] char sign_at(std::size_t i) const {
    return i < source_.size() && (source_[i] == '-' || source_[i] == '+') ? source_[i] : '\0';
  }

  Result<void> text_and_tag() {
    const std::size_t begin = at_;
    std::size_t tag = at_;
    while ((tag = source_.find('{', tag)) != std::string_view::npos) {
      if (sees("{%", tag) || sees("{{", tag) || sees("{#", tag)) break;
      ++tag;
    }
    if (tag == std::string_view::npos) {
      add_data(begin, source_.size());
      at_ = source_.size();
      return {};
    }
    const char kind = source_[tag + 1];
    const char sign = sign_at(tag + 2);
    add_data(begin, text_end(begin, tag, sign, kind == '{'));
    at_ = tag + (sign == '\0' ? 2 : 3);
    if (kind == '#') return comment(tag);
    if (kind == '%' && raw_begin()) return raw(tag);
    add(kind == '%' ? TokenKind::kBlockBegin : TokenKind::kVariableBegin, tag, at_);
    line_starting_ = false;
    return inside(kind == '%');
  }

  Result<void> comment(std::size_t tag) {
    const std::size_t close = source_.find("#}", at_);
    if (close == std::string_view::npos) return error_at(tag, "missing end of comment");
    const char sign = close > at_ ? source_[close - 1] : '\0';
    end_tag(close + 2, sign == '-' || sign == '+' ? sign : '\0', true);
    return {};
  }

  // Moves past a closing tag that ends at `end`, and past the white space that goes with it.
  void end_tag(std::size_t end, char sign, bool trims_newline) {
    at_ = end;
    if (sign == '-') {
      at_ = skip_space(end);
    } else if (sign != '+' && trims_newline && at_ < source_.size() && source_[at_] == '\n') {
      ++at_;
    }
    line_starting_ = source_[at_ - 1] == '\n';
  }

  // {% raw %}: moves past it.
  bool raw_begin() {
    std::size_t i = skip_space(at_);
    if (!sees("raw", i)) return false;
    i = skip_space(i + 3);
    const bool strips = sees("-%}", i);
    if (!strips && !sees("%}", i)) return false;
    end_tag(i + (strips ? 3 : 2), strips ? '-' : '\0', false);
    return true;
  }

  Result<void> raw(std::size_t tag) {
    const std::size_t begin = at_;
    for (std::size_t i = begin; (i = source_.find("{%", i)) != std::string_view::npos; i += 2) {
      const char sign = sign_at(i + 2);
      std::size_t j = skip_space(i + (sign == '\0' ? 2 : 3));
      if (!sees("endraw", j)) continue;
      j = skip_space(j + 6);
      const char end_sign = sign_at(j);
      if (end_sign != '\0') ++j;
      if (!sees("%}", j)) continue;
      add_data(begin, text_end(begin, i, sign, false));
      end_tag(j + 2, end_sign, true);
      return {};
    }
    return error_at(tag, "missing end of raw");
  }

  // The tokens of one tag, up to its end.
  Result<void> inside(bool is_block) {
    const std::string_view close = is_block ? "%}" : "}}";
    brackets_.clear();
    while (at_ < source_.size()) {
      if (brackets_.empty()) {
        const char sign = sign_at(at_);
        const bool takes_sign = sign == '-' || (sign == '+' && is_block);
        const std::size_t end = takes_sign ? at_ + 1 : at_;
        if (sees(close, end)) {
          add(is_block ? TokenKind::kBlockEnd : TokenKind::kVariableEnd, at_, end + 2);
          end_tag(end + 2, takes_sign ? sign : '\0', is_block);
          return {};
        }
      }
      RECKON_TRY_VOID(token());
    }
    return {};  // the parser says what is missing
  }

  Result<void> token() {
    const std::size_t begin = at_;
    const char c = source_[at_];
    if (const std::size_t after = skip_space(at_); after > at_) {
      at_ = after;
      return {};
    }
    if (is_digit_char(c)) return number();
    if (is_name_start(c)) {
      while (at_ < source_.size() && is_name_char(source_[at_])) ++at_;
      add(TokenKind::kName, begin, at_);
      return {};
    }
    if (c == '\'' || c == '"') return string();
    return operator_sign();
  }

  // Digits with single underscores between them, from i; i where there are none.
  [[nodiscard]] std::size_t digits(std::size_t i) const {
    const std::size_t begin = i;
    while (i < source_.size() &&
           (is_digit_char(source_[i]) ||
            (source_[i] == '_' && i > begin && i + 1 < source_.size() && is_digit_char(source_[i + 1])))) {
      ++i;
    }
    return i;
  }

  Result<void> number() {
    const std::size_t begin = at_;
    if (source_[at_] == '0' && at_ + 1 < source_.size() &&
        std::string_view("xXoObB").find(source_[at_ + 1]) != std::string_view::npos) {
      std::size_t i = at_ + 2;
      while (i < source_.size() && (std::isxdigit(static_cast<unsigned char>(source_[i])) != 0 || source_[i] == '_'))
        ++i;
      at_ = i;
      add(TokenKind::kInteger, begin, at_);
      return {};
    }
    std::size_t end = digits(at_);
    bool is_float = false;
    const bool after_dot = begin > 0 && source_[begin - 1] == '.';  // x.0.1: a number there is an index
    if (!after_dot) {
      if (end + 1 < source_.size() && source_[end] == '.' && is_digit_char(source_[end + 1])) {
        end = digits(end + 1);
        is_float = true;
      }
      if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
        const std::size_t sign =
            end + 1 < source_.size() && (source_[end + 1] == '+' || source_[end + 1] == '-') ? 2 : 1;
        if (end + sign < source_.size() && is_digit_char(source_[end + sign])) {
          end = digits(end + sign);
          is_float = true;
        }
      }
    }
    at_ = end;
    add(is_float ? TokenKind::kFloat : TokenKind::kInteger, begin, end);
    return {};
  }

  Result<void> string() {
    const std::size_t begin = at_;
    const char quote = source_[at_];
    for (std::size_t i = at_ + 1; i < source_.size(); ++i) {
      if (source_[i] == '\\') {
        ++i;
      } else if (source_[i] == quote) {
        at_ = i + 1;
        add(TokenKind::kString, begin, at_);
        return {};
      }
    }
    return error_at(begin, "a string is never closed");
  }

  Result<void> operator_sign() {
    static constexpr std::string_view kTwo[] = {"//", "**", "==", "!=", ">=", "<="};
    static constexpr std::string_view kOne = "+-/*%~[](){}><=.:|,;";
    const std::size_t begin = at_;
    for (const std::string_view sign : kTwo) {
      if (!sees(sign, at_)) continue;
      at_ += 2;
      add(TokenKind::kOperator, begin, at_);
      return {};
    }
    const char c = source_[at_];
    if (kOne.find(c) == std::string_view::npos) {
      const auto n = character_at(source_, at_).size;
      return error_at(begin, fmt::format("unexpected character '{}'", source_.substr(at_, n)));
    }
    if (c == '(' || c == '[' || c == '{') brackets_.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty()) return error_at(begin, fmt::format("unexpected '{}'", c));
      if (brackets_.back() != c)
        return error_at(begin, fmt::format("unexpected '{}', expected '{}'", c, brackets_.back()));
      brackets_.pop_back();
    }
    ++at_;
    add(TokenKind::kOperator, begin, at_);
    return {};
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_starting_ = true;  // the last tag ended with a line break, or nothing came before
  std::string brackets_;       // closing signs that are awaited
  std::vector<Token> tokens_;
  std::size_t counted_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace

std::string normalize_source(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
      out += '\n';
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

Result<std::vector<Token>> tokenize(std::string_view normalized_source) { return Lexer(normalized_source).run(); }

std::string located(Position at, std::string_view message) {
  return fmt::format("line {}, column {}: {}", at.line, at.column, message);
}

}  // namespace reckon::chat::jinja
