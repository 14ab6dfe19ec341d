#pragma once
// The line that a person edits, and how it lies on the rows of a terminal. No input or output here.

#include <string>
#include <string_view>
#include <vector>

#include "cli/key_decoder.h"

namespace reckon::cli {

// Moves and erases by what a person sees as one character (grapheme cluster).
class EditBuffer {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t cursor() const { return cursor_; }  // byte offset, on a cluster boundary
  void set(std::string text);
  void insert(std::string_view piece);
  // Editing keys; false for a key that edits nothing (Enter, Up, ...).
  bool apply(const Key& key);

 private:
  void erase(std::size_t from, std::size_t to);
  [[nodiscard]] std::size_t line_start() const;
  [[nodiscard]] std::size_t line_end() const;
  [[nodiscard]] std::size_t word_left() const;
  [[nodiscard]] std::size_t word_right() const;

  std::string text_;
  std::size_t cursor_ = 0;
};

// Rows as the terminal shows them, none wider than the screen, and where the cursor stands.
struct Layout {
  std::vector<std::string> rows;
  int cursor_row = 0;
  int cursor_column = 0;
};
// `prompt` stands before the first row, `indent` before rows after a line break. A wide character never splits.
Layout lay_out(std::string_view prompt, std::string_view indent, const EditBuffer& buffer, int width);

}  // namespace reckon::cli
