#include "grammar/gbnf.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "grammar/limits.h"
#include "text/utf8.h"

namespace reckon::grammar {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  Result<Syntax> read() {
    skip_space(true);
    while (at_ < source_.size()) {
      RECKON_TRY_VOID(read_rule());
      skip_space(true);
    }
    return finish();
  }

 private:
  [[nodiscard]] bool has(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  [[nodiscard]] char peek() const { return at_ < source_.size() ? source_[at_] : '\0'; }

  [[nodiscard]] std::unexpected<Error> error(std::string_view what, ErrorCode code = ErrorCode::kInvalidInput) const {
    return error_at(at_, what, code);
  }
  [[nodiscard]] std::unexpected<Error> error_at(std::size_t at, std::string_view what,
                                                ErrorCode code = ErrorCode::kInvalidInput) const {
    std::size_t line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < at; ++i) {
      if (source_[i] == '\n') ++line, start = i + 1;
    }
    return fail(code, fmt::format("grammar, line {}, column {}: {}", line, at - start + 1, what));
  }

  void skip_space(bool over_lines) {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '#') {
        while (at_ < source_.size() && source_[at_] != '\n' && source_[at_] != '\r') ++at_;
      } else if (c == ' ' || c == '\t' || (over_lines && (c == '\n' || c == '\r'))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view read_name() {
    const std::size_t begin = at_;
    while (is_name_character(peek())) ++at_;
    return source_.substr(begin, at_ - begin);
  }

  RuleId rule_named(std::string_view name) {
    const auto [found, is_new] = names_.try_emplace(std::string(name), 0);
    if (is_new) {
      found->second = syntax_.add_rule(std::string(name));
      first_use_.push_back(at_ - name.size());
    }
    return found->second;
  }

  Result<void> read_rule() {
    const std::size_t begin = at_;
    const std::string_view name = read_name();
    if (name.empty()) return error("want a rule, as in: name ::= \"text\"");
    if (name.size() > 256) return error_at(begin, "a rule's name is longer than 256 bytes", ErrorCode::kLimit);
    const RuleId rule = rule_named(name);
    if (syntax_.rules.size() > kMaxRules) return error(fmt::format("more than {} rules", kMaxRules), ErrorCode::kLimit);
    skip_space(false);
    if (!has("::=")) return error(fmt::format("want ::= after the name \"{}\"", name));
    if (syntax_.rules[rule].is_defined) return error_at(begin, fmt::format("rule \"{}\" is there twice", name));
    at_ += 3;
    skip_space(true);
    RECKON_TRY(const NodeId body, read_choice(0));
    syntax_.define(rule, body);
    if (at_ < source_.size() && peek() != '\n' && peek() != '\r') return error("want the end of the line");
    return {};
  }

  Result<NodeId> read_choice(int depth) {
    if (depth > kMaxNesting) {
      return error(fmt::format("groups are nested deeper than {} levels", kMaxNesting), ErrorCode::kLimit);
    }
    std::vector<NodeId> branches;
    while (true) {
      RECKON_TRY(const NodeId branch, read_sequence(depth));
      branches.push_back(branch);
      // A line that begins with | continues the rule before it.
      const std::size_t before = at_;
      skip_space(true);
      if (peek() != '|') {
        at_ = before;
        break;
      }
      ++at_;
      skip_space(true);
    }
    return syntax_.choice(std::move(branches));
  }

  Result<NodeId> read_sequence(int depth) {
    std::vector<NodeId> parts;
    while (at_ < source_.size()) {
      skip_space(depth > 0);
      const char c = peek();
      if (at_ >= source_.size() || c == '|' || c == ')' || c == '\n' || c == '\r') break;
      if (syntax_.n_nodes() > kMaxNodes) return error("the grammar is too large", ErrorCode::kLimit);
      RECKON_TRY(const NodeId element, read_element(depth));
      RECKON_TRY(const NodeId repeated, read_repetitions(element));
      parts.push_back(repeated);
    }
    return parts.empty() ? syntax_.empty() : syntax_.sequence(std::move(parts));
  }

  Result<NodeId> read_element(int depth) {
    const char c = peek();
    if (c == '"') return read_literal();
    if (c == '[') return read_class();
    if (c == '.') {
      ++at_;
      return syntax_.character_class(complement({}));
    }
    if (c == '(') {
      const std::size_t begin = at_++;
      skip_space(true);
      RECKON_TRY(const NodeId group, read_choice(depth + 1));
      skip_space(true);
      if (peek() != ')') return error_at(begin, "this ( is never closed");
      ++at_;
      return group;
    }
    if (is_name_character(c)) return syntax_.rule_reference(rule_named(read_name()));
    if (c == '<' || c == '!') return error("references to tokens are not supported", ErrorCode::kUnsupported);
    return error("want a literal, a class, a group or the name of a rule");
  }

  Result<NodeId> read_literal() {
    const std::size_t begin = at_++;
    std::string text;
    while (peek() != '"') {
      if (at_ >= source_.size()) return error_at(begin, "this \" is never closed");
      RECKON_TRY(const char32_t c, read_character());
      text::append_utf8(text, c);
    }
    ++at_;
    return syntax_.literal(text);
  }

  Result<NodeId> read_class() {
    const std::size_t begin = at_++;
    const bool negated = peek() == '^';
    if (negated) ++at_;
    CodePointSet set;
    while (peek() != ']') {
      if (at_ >= source_.size()) return error_at(begin, "this [ is never closed");
      const std::size_t place = at_;
      RECKON_TRY(const char32_t first, read_character());
      char32_t last = first;
      if (peek() == '-' && at_ + 1 < source_.size() && source_[at_ + 1] != ']') {
        ++at_;
        RECKON_TRY(last, read_character());
      }
      if (last < first) return error_at(place, "the range ends before it begins");
      set.push_back({first, last});
    }
    ++at_;
    set = normalized(std::move(set));
    return syntax_.character_class(negated ? complement(set) : std::move(set));
  }

  Result<char32_t> read_character() {
    if (peek() != '\\') {
      const text::Decoded decoded = text::decode_utf8(source_, at_);
      if (!decoded.valid) return error("bytes that are not UTF-8");
      at_ += decoded.length;
      return decoded.code_point;
    }
    if (at_ + 1 >= source_.size()) return error("the text ends after \\");
    const char c = source_[at_ + 1];
    switch (c) {
      case 'n':
        return escape(U'\n');
      case 'r':
        return escape(U'\r');
      case 't':
        return escape(U'\t');
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
        return escape(static_cast<char32_t>(c));
      case 'x':
        return read_hex(2);
      case 'u':
        return read_hex(4);
      case 'U':
        return read_hex(8);
      default:
        return error(
            "unknown escape; these are known: \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\^ \\xNN \\uNNNN \\UNNNNNNNN");
    }
  }

  char32_t escape(char32_t c) {
    at_ += 2;
    return c;
  }

  Result<char32_t> read_hex(std::size_t n_digits) {
    const std::string_view digits = source_.substr(at_ + 2, n_digits);
    std::uint32_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (status != std::errc() || digits.size() != n_digits || end != digits.data() + n_digits) {
      return error(fmt::format("want {} hexadecimal digits", n_digits));
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return error("no such character in Unicode");
    at_ += 2 + n_digits;
    return static_cast<char32_t>(value);
  }

  Result<NodeId> read_repetitions(NodeId element) {
    for (int n = 0;; ++n) {
      const std::size_t before = at_;
      skip_space(false);
      const char c = peek();
      if (c != '*' && c != '+' && c != '?' && c != '{') {
        at_ = before;
        return element;
      }
      if (n == kMaxNesting) return error("too many repetitions of one element", ErrorCode::kLimit);
      if (c == '{') {
        RECKON_TRY(element, read_counted(element));
        continue;
      }
      ++at_;
      element = syntax_.repeat(element, c == '+' ? 1 : 0, c == '?' ? 1 : kUnbounded);
    }
  }

  Result<NodeId> read_counted(NodeId element) {
    const std::size_t begin = at_++;
    skip_space(false);
    std::uint32_t min = 0;
    if (peek() != ',') {
      RECKON_TRY(min, read_count());
    }
    std::uint32_t max = min;
    skip_space(false);
    if (peek() == ',') {
      ++at_;
      skip_space(false);
      max = kUnbounded;
      if (peek() != '}') {
        RECKON_TRY(max, read_count());
      }
    }
    skip_space(false);
    if (peek() != '}') return error("want } after the counts");
    ++at_;
    if (max < min) return error_at(begin, "the upper count is less than the lower one");
    return syntax_.repeat(element, min, max);
  }

  Result<std::uint32_t> read_count() {
    std::uint32_t value = 0;
    const char* const begin = source_.data() + at_;
    const auto [end, status] = std::from_chars(begin, source_.data() + source_.size(), value);
    if (status == std::errc::result_out_of_range || (status == std::errc() && value > kMaxRepetition)) {
      return error(fmt::format("more than {} repetitions", kMaxRepetition), ErrorCode::kLimit);
    }
    if (status != std::errc()) return error("want a count");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  Result<Syntax> finish() {
    const auto root = names_.find("root");
    if (root == names_.end() || !syntax_.rules[root->second].is_defined) {
      return fail(ErrorCode::kInvalidInput, "grammar: no rule \"root\"; the text starts there");
    }
    for (RuleId rule = 0; rule < syntax_.rules.size(); ++rule) {
      if (syntax_.rules[rule].is_defined) continue;
      return error_at(first_use_[rule], fmt::format("no rule \"{}\"", syntax_.rules[rule].name));
    }
    syntax_.root = root->second;
    return std::move(syntax_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  Syntax syntax_;
  std::unordered_map<std::string, RuleId> names_;
  std::vector<std::size_t> first_use_;  // by rule
};

}  // namespace

Result<Syntax> read_gbnf(std::string_view source) {
  if (source.size() > kMaxSourceBytes) {
    return fail(ErrorCode::kLimit, fmt::format("grammar: {} bytes, at most {}", source.size(), kMaxSourceBytes));
  }
  return Reader(source).read();
}

}  // namespace reckon::grammar
