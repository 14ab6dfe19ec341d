#include "grammar/pattern.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "grammar/limits.h"
#include "text/utf8.h"

namespace reckon::grammar {
namespace {

CodePointSet digits() { return {{'0', '9'}}; }
CodePointSet word_characters() { return normalized({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}); }
CodePointSet white_space() {  // WhiteSpace and LineTerminator of ECMA-262
  return normalized({{'\t', '\r'},
                     {' ', ' '},
                     {0xA0, 0xA0},
                     {0x1680, 0x1680},
                     {0x2000, 0x200A},
                     {0x2028, 0x2029},
                     {0x202F, 0x202F},
                     {0x205F, 0x205F},
                     {0x3000, 0x3000},
                     {0xFEFF, 0xFEFF}});
}
CodePointSet line_ends() { return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}; }

class PatternReader {
 public:
  PatternReader(Syntax& syntax, JsonParts& parts, std::string_view pattern)
      : syntax_(syntax), parts_(parts), pattern_(pattern) {}

  Result<NodeId> read() {
    const NodeId anything = syntax_.repeat(parts_.string_character(), 0, kUnbounded);
    std::vector<NodeId> branches;
    while (true) {
      std::vector<NodeId> sequence;
      if (!take('^')) sequence.push_back(anything);
      RECKON_TRY(const NodeId branch, read_sequence(0));
      sequence.push_back(branch);
      if (!take('$')) sequence.push_back(anything);
      branches.push_back(syntax_.sequence(std::move(sequence)));
      if (!take('|')) break;
    }
    if (!at_end()) return error(peek() == ')' ? "a ) without its (" : "an anchor inside the pattern");
    return syntax_.choice(std::move(branches));
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : pattern_[at_]; }
  bool take(char c) {
    if (at_end() || pattern_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  [[nodiscard]] std::unexpected<Error> error(std::string_view what, ErrorCode code = ErrorCode::kInvalidInput) const {
    return fail(code, fmt::format("pattern, byte {}: {}", at_, what));
  }
  [[nodiscard]] std::unexpected<Error> unsupported(std::string_view what) const {
    return error(fmt::format("{} not supported", what), ErrorCode::kUnsupported);
  }

  Result<NodeId> read_choice(int depth) {
    std::vector<NodeId> branches;
    do {
      RECKON_TRY(const NodeId branch, read_sequence(depth));
      branches.push_back(branch);
    } while (take('|'));
    return syntax_.choice(std::move(branches));
  }

  Result<NodeId> read_sequence(int depth) {
    if (depth > kMaxNesting) {
      return error(fmt::format("groups are nested deeper than {} levels", kMaxNesting), ErrorCode::kLimit);
    }
    std::vector<NodeId> parts;
    while (!at_end() && peek() != '|' && peek() != ')') {
      if (peek() == '^' || peek() == '$') {
        if (depth > 0 || peek() == '^') return unsupported("an anchor inside the pattern is");
        break;  // read() looks whether the alternative ends here
      }
      if (syntax_.n_nodes() > kMaxNodes) return error("the pattern is too large", ErrorCode::kLimit);
      RECKON_TRY(const NodeId atom, read_atom(depth));
      RECKON_TRY(const NodeId repeated, read_quantifiers(atom));
      parts.push_back(repeated);
    }
    return parts.empty() ? syntax_.empty() : syntax_.sequence(std::move(parts));
  }

  Result<NodeId> read_atom(int depth) {
    if (take('(')) {
      if (!take("?:") && peek() == '?') return unsupported("look-around and named groups are");
      RECKON_TRY(const NodeId group, read_choice(depth + 1));
      if (!take(')')) return error("a ( is never closed");
      return group;
    }
    if (take('[')) {
      RECKON_TRY(const CodePointSet set, read_class());
      return parts_.string_class(set);
    }
    if (take('.')) return parts_.string_class(complement(line_ends()));
    if (peek() == '*' || peek() == '+' || peek() == '?') return error("nothing to repeat");
    if (peek() == '\\') {
      RECKON_TRY(const CodePointSet set, read_escape(false));
      return parts_.string_class(set);
    }
    RECKON_TRY(const char32_t c, read_raw());
    return parts_.string_class({{c, c}});
  }

  Result<char32_t> read_raw() {
    const text::Decoded c = text::decode_utf8(pattern_, at_);
    if (!c.valid) return error("bytes that are not UTF-8");
    at_ += c.length;
    return c.code_point;
  }

  // From the backslash. One character, or a set for \d and the like.
  Result<CodePointSet> read_escape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) return error("the pattern ends after \\");
    const char c = pattern_[at_ + 1];
    const auto one = [this](char32_t character) {
      at_ += 2;
      return CodePointSet{{character, character}};
    };
    const auto set = [this](CodePointSet made) {
      at_ += 2;
      return made;
    };
    switch (c) {
      case 'd':
        return set(digits());
      case 'D':
        return set(complement(digits()));
      case 'w':
        return set(word_characters());
      case 'W':
        return set(complement(word_characters()));
      case 's':
        return set(white_space());
      case 'S':
        return set(complement(white_space()));
      case 'n':
        return one('\n');
      case 'r':
        return one('\r');
      case 't':
        return one('\t');
      case 'f':
        return one('\f');
      case 'v':
        return one('\v');
      case '0':
        return one(0);
      case 'x':
        return read_hex(2);
      case 'u':
        return read_hex(4);
      case 'b':
        if (in_class) return one('\b');
        return unsupported("\\b is");
      default:
        break;
    }
    const bool is_letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter_or_digit) return unsupported(fmt::format("\\{} is", c));
    ++at_;
    RECKON_TRY(const char32_t character, read_raw());
    return CodePointSet{{character, character}};
  }

  Result<CodePointSet> read_hex(std::size_t n) {
    const std::string_view text = pattern_.substr(at_ + 2, n);
    std::uint32_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (status != std::errc() || text.size() != n || end != text.data() + n) {
      return error(fmt::format("want {} hexadecimal digits", n));
    }
    if (value >= 0xD800 && value <= 0xDFFF) return unsupported("half of a surrogate pair is");
    at_ += 2 + n;
    return CodePointSet{{static_cast<char32_t>(value), static_cast<char32_t>(value)}};
  }

  Result<CodePointSet> read_class_part() {
    if (peek() == '\\') return read_escape(true);
    RECKON_TRY(const char32_t c, read_raw());
    return CodePointSet{{c, c}};
  }

  Result<CodePointSet> read_class() {
    const bool negated = take('^');
    CodePointSet set;
    while (!take(']')) {
      if (at_end()) return error("a [ is never closed");
      RECKON_TRY(CodePointSet part, read_class_part());
      const bool is_one = part.size() == 1 && part[0].first == part[0].last;
      if (is_one && peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
        ++at_;
        RECKON_TRY(const CodePointSet to, read_class_part());
        if (to.size() != 1 || to[0].first != to[0].last) return error("a range that ends with a class");
        if (to[0].first < part[0].first) return error("a range that ends before it begins");
        part[0].last = to[0].first;
      }
      set.insert(set.end(), part.begin(), part.end());
    }
    set = normalized(std::move(set));
    return negated ? complement(set) : set;
  }

  Result<NodeId> read_quantifiers(NodeId atom) {
    std::uint32_t min = 0;
    std::uint32_t max = kUnbounded;
    if (take('*')) {
    } else if (take('+')) {
      min = 1;
    } else if (take('?')) {
      max = 1;
    } else if (take('{')) {
      RECKON_TRY(min, read_count());
      max = min;
      if (take(',')) {
        max = kUnbounded;
        if (peek() != '}') {
          RECKON_TRY(max, read_count());
        }
      }
      if (!take('}')) return error("want } after the counts");
      if (max < min) return error("the upper count is less than the lower one");
    } else {
      return atom;
    }
    take('?');
    if (peek() == '*' || peek() == '+' || peek() == '?') return error("nothing to repeat");
    return syntax_.repeat(atom, min, max);
  }

  Result<std::uint32_t> read_count() {
    std::uint32_t value = 0;
    const char* const begin = pattern_.data() + at_;
    const auto [end, status] = std::from_chars(begin, pattern_.data() + pattern_.size(), value);
    if (status == std::errc::result_out_of_range || (status == std::errc() && value > kMaxRepetition)) {
      return error(fmt::format("more than {} repetitions", kMaxRepetition), ErrorCode::kLimit);
    }
    if (status != std::errc()) return error("want a count");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  Syntax& syntax_;
  JsonParts& parts_;
  std::string_view pattern_;
  std::size_t at_ = 0;
};

// RFC 3339; 29 February only in leap years. Leap seconds are left out.
#define RECKON_DATE                                                                                                  \
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|" \
  "1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
#define RECKON_TIME \
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
#define RECKON_OCTET "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
#define RECKON_LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define RECKON_HEX "[0-9A-Fa-f]"

}  // namespace

Result<NodeId> read_pattern(Syntax& syntax, JsonParts& parts, std::string_view pattern) {
  return PatternReader(syntax, parts, pattern).read();
}

std::string_view pattern_of_format(std::string_view format) {
  static constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"date", "^" RECKON_DATE "$"},
      {"time", "^" RECKON_TIME "$"},
      {"date-time", "^" RECKON_DATE "T" RECKON_TIME "$"},
      {"duration",
       "^P(?:[0-9]{1,9}W|(?:[0-9]{1,9}Y(?:[0-9]{1,9}M(?:[0-9]{1,9}D)?)?|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}D)"
       "(?:T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S))?|"
       "T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S))$"},
      {"email", "^[A-Za-z0-9_+-]+(?:\\.[A-Za-z0-9_+-]+)*@(?:" RECKON_LABEL "\\.)+[A-Za-z]{2,24}$"},
      {"hostname", "^" RECKON_LABEL "(?:\\." RECKON_LABEL ")*$"},
      {"ipv4", "^(?:" RECKON_OCTET "\\.){3}" RECKON_OCTET "$"},
      {"ipv6", "^(?:" RECKON_HEX "{1,4}:){7}" RECKON_HEX "{1,4}$"},  // without ::, which is never needed
      {"uuid", "^" RECKON_HEX "{8}-" RECKON_HEX "{4}-" RECKON_HEX "{4}-" RECKON_HEX "{4}-" RECKON_HEX "{12}$"},
  };
  for (const auto& [name, pattern] : kFormats) {
    if (name == format) return pattern;
  }
  return {};
}

}  // namespace reckon::grammar
