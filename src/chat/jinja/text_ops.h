#pragma once
// The operations of Python's str on marked text. Every byte of a result carries the mark of the byte it came from.
// They do not charge: callers charge for what they pass in and get out.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "chat/jinja/marked_text.h"
#include "chat/jinja/unicode.h"

namespace reckon::chat::jinja {

enum class Side : std::uint8_t { kLeft = 1, kRight = 2, kBoth = 3 };

// Without `chars`: white space.
[[nodiscard]] MarkedText strip(const MarkedText& text, Side side, std::optional<std::string_view> chars);
// Without `separator`: at runs of white space. n_max < 0: at every place.
[[nodiscard]] std::vector<MarkedText> split(const MarkedText& text, std::optional<std::string_view> separator,
                                            std::int64_t n_max);
[[nodiscard]] std::vector<MarkedText> split_right(const MarkedText& text, std::optional<std::string_view> separator,
                                                  std::int64_t n_max);
[[nodiscard]] std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends);
[[nodiscard]] std::size_t count_of(std::string_view text, std::string_view needle);
[[nodiscard]] MarkedText replace(const MarkedText& text, std::string_view old, const MarkedText& by,
                                 std::int64_t n_max);
[[nodiscard]] MarkedText escape_html(const MarkedText& text);

[[nodiscard]] MarkedText upper(const MarkedText& text);
[[nodiscard]] MarkedText lower(const MarkedText& text);
[[nodiscard]] MarkedText swap_case(const MarkedText& text);
[[nodiscard]] MarkedText capitalize(const MarkedText& text);
[[nodiscard]] MarkedText title(const MarkedText& text);         // str.title: a letter after a non-letter
[[nodiscard]] MarkedText title_filter(const MarkedText& text);  // the filter: after white space, - ( { [ <

// Calls `visit` for every character.
void each_character(const MarkedText& text,
                    const std::function<void(Character, std::string_view bytes, std::size_t offset)>& visit);

}  // namespace reckon::chat::jinja
