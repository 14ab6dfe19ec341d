#pragma once
// Text as a terminal shows it: columns, clusters, and nothing that could steer the terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace reckon::cli {

// Bytes of the grapheme cluster that starts at `at` (one user-visible character); at least 1 while at < text.size().
// An invalid byte is a cluster of its own.
[[nodiscard]] std::size_t cluster_size(std::string_view text, std::size_t at);
// Start of the cluster that ends at `end`; 0 < end <= text.size().
[[nodiscard]] std::size_t cluster_before(std::string_view text, std::size_t end);

// Columns on a terminal: 2 for most CJK and emoji, 0 for combining marks and control characters.
[[nodiscard]] int display_width(std::string_view text);

// Padded with spaces on the right (or left) to `width` columns; longer text is left as it is.
[[nodiscard]] std::string pad_right(std::string_view text, int width);
[[nodiscard]] std::string pad_left(std::string_view text, int width);
// At most `width` columns, with "…" at the end where something was cut.
[[nodiscard]] std::string cut_to_width(std::string_view text, int width);

// Words of `text` on lines of at most `width` columns; it starts in column `indent`, and so do the lines after it.
[[nodiscard]] std::string wrap_words(std::string_view text, int indent, int width);
// The same for ready lines, of which those too long go on below their last column of text ("name   help").
[[nodiscard]] std::string wrap_lines(std::string_view text, int width);

// Text from a file or a model, for a terminal: escape sequences and other control characters become U+FFFD, so that
// no model can move the cursor, set the clipboard or rename the window. Newline and tab stay.
[[nodiscard]] std::string without_controls(std::string_view text);
// The same on one line: newlines become spaces.
[[nodiscard]] std::string one_line(std::string_view text);
// Valid UTF-8: every invalid byte becomes U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace reckon::cli
