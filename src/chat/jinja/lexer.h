#pragma once
// Template source to tokens, with the white space rules of trim_blocks and lstrip_blocks applied to the text between.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/limits.h"
#include "reckon/result.h"

namespace reckon::chat::jinja {

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // bytes
};

enum class TokenKind : std::uint8_t {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Position at;
  std::string_view text;  // of the source; a string with its quotes

  [[nodiscard]] bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
  [[nodiscard]] bool is_operator(std::string_view sign) const { return kind == TokenKind::kOperator && text == sign; }
};

// One kind of line break, and no line break at the very end: what tokens are views into.
[[nodiscard]] std::string normalize_source(std::string_view source);
// kInvalidInput names line and column. The last token is kEnd.
[[nodiscard]] Result<std::vector<Token>> tokenize(std::string_view normalized_source);
// "line 3, column 7: message"
[[nodiscard]] std::string located(Position at, std::string_view message);

}  // namespace reckon::chat::jinja
