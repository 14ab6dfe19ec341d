#include "chat/jinja/escapes.h"

#include <charconv>

#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {
namespace {

// The character of `n` hex digits at `i`.
Result<char32_t> hex(std::string_view text, std::size_t i, std::size_t n) {
  std::uint32_t code = 0;
  if (i + n > text.size()) return fail(ErrorCode::kInvalidInput, "a \\x, \\u or \\U escape is cut short");
  const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + n, code, 16);
  if (error != std::errc() || end != text.data() + i + n) {
    return fail(ErrorCode::kInvalidInput, "a \\x, \\u or \\U escape has a wrong digit");
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return fail(ErrorCode::kInvalidInput, "an escape names no character");
  }
  return char32_t{code};
}

}  // namespace

Result<std::string> unescape(std::string_view text) {
  static constexpr std::string_view kFrom = "\\'\"abfnrtv";
  static constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i++];
      continue;
    }
    const char c = text[i + 1];
    i += 2;
    if (const std::size_t known = kFrom.find(c); known != std::string_view::npos) {
      out += kTo[known];
    } else if (c == '\n') {
      continue;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t n = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      const auto code = hex(text, i, n);
      if (!code) return std::unexpected(code.error());
      append_utf8(out, *code);
      i += n;
    } else if (c >= '0' && c <= '7') {
      std::uint32_t code = 0;
      --i;
      for (int n = 0; n < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++n, ++i) {
        code = code * 8 + static_cast<std::uint32_t>(text[i] - '0');
      }
      append_utf8(out, char32_t{code});
    } else if (c == 'N') {
      return fail(ErrorCode::kUnsupported, "\\N{...} is not supported: write the character itself");
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace reckon::chat::jinja
