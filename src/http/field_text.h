#pragma once
// Small tests on the text of header fields (RFC 9110 section 5). ASCII only, no locale.

#include <string>
#include <string_view>

namespace reckon::http {

[[nodiscard]] constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
[[nodiscard]] std::string lower_case(std::string_view text);
// Without blanks and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
// A name of a method or a field: one or more of RFC 9110's tchar.
[[nodiscard]] bool is_token(std::string_view text);
// May stand in a field value: no CR, LF, NUL or other control character but the tab.
[[nodiscard]] bool is_field_value(std::string_view text);
// `text` is this or this and a parameter: "application/json; charset=utf-8".
[[nodiscard]] bool is_media_type(std::string_view text, std::string_view type);

}  // namespace reckon::http
