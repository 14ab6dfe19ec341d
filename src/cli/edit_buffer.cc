#include "cli/edit_buffer.h"

#include <algorithm>
#include <utility>

#include "cli/display_text.h"

namespace reckon::cli {

void EditBuffer::set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

void EditBuffer::insert(std::string_view piece) {
  text_.insert(cursor_, piece);
  cursor_ += piece.size();
}

void EditBuffer::erase(std::size_t from, std::size_t to) {
  text_.erase(from, to - from);
  cursor_ = from;
}

std::size_t EditBuffer::line_start() const {
  if (cursor_ == 0) return 0;
  const auto newline = text_.rfind('\n', cursor_ - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t EditBuffer::line_end() const { return std::min(text_.find('\n', cursor_), text_.size()); }

std::size_t EditBuffer::word_left() const {
  std::size_t at = cursor_;
  const auto is_space = [&](std::size_t i) { return text_[i] == ' ' || text_[i] == '\n' || text_[i] == '\t'; };
  while (at > 0 && is_space(at - 1)) --at;
  while (at > 0 && !is_space(at - 1)) --at;
  return at;
}

std::size_t EditBuffer::word_right() const {
  std::size_t at = cursor_;
  const auto is_space = [&](std::size_t i) { return text_[i] == ' ' || text_[i] == '\n' || text_[i] == '\t'; };
  while (at < text_.size() && is_space(at)) ++at;
  while (at < text_.size() && !is_space(at)) ++at;
  return at;
}

bool EditBuffer::apply(const Key& key) {
  switch (key.type) {
    case KeyType::kText:
      insert(key.text);
      return true;
    case KeyType::kNewLine:
      insert("\n");
      return true;
    case KeyType::kBackspace:
      if (cursor_ > 0) erase(cluster_before(text_, cursor_), cursor_);
      return true;
    case KeyType::kDelete:
      if (cursor_ < text_.size()) erase(cursor_, cursor_ + cluster_size(text_, cursor_));
      return true;
    case KeyType::kLeft:
      if (cursor_ > 0) cursor_ = cluster_before(text_, cursor_);
      return true;
    case KeyType::kRight:
      cursor_ += cluster_size(text_, cursor_);
      return true;
    case KeyType::kHome:
      cursor_ = line_start();
      return true;
    case KeyType::kEnd:
      cursor_ = line_end();
      return true;
    case KeyType::kWordLeft:
      cursor_ = word_left();
      return true;
    case KeyType::kWordRight:
      cursor_ = word_right();
      return true;
    case KeyType::kEraseToEnd:
      erase(cursor_, line_end());
      return true;
    case KeyType::kEraseToStart:
      erase(line_start(), cursor_);
      return true;
    case KeyType::kEraseWord:
      erase(word_left(), cursor_);
      return true;
    default:
      return false;
  }
}

Layout lay_out(std::string_view prompt, std::string_view indent, const EditBuffer& buffer, int width) {
  width = std::max(width, 4);
  Layout layout;
  std::string row(prompt);
  int column = display_width(prompt);
  const auto end_row = [&](std::string_view next) {
    layout.rows.push_back(std::exchange(row, std::string(next)));
    column = display_width(next);
  };
  const std::string& text = buffer.text();
  bool placed = false;
  for (std::size_t at = 0;;) {
    // A cursor behind a full row stands at the start of the next one.
    if (!placed && at >= buffer.cursor()) {
      placed = true;
      if (column >= width) end_row("");
      layout.cursor_row = static_cast<int>(layout.rows.size());
      layout.cursor_column = column;
    }
    if (at >= text.size()) break;
    const std::size_t size = cluster_size(text, at);
    std::string_view cluster = std::string_view(text).substr(at, size);
    at += size;
    if (cluster == "\n") {
      end_row(indent);
      continue;
    }
    if (cluster == "\t") cluster = "  ";
    const int cells = display_width(cluster);
    if (column + cells > width) end_row("");
    row += cluster;
    column += cells;
  }
  layout.rows.push_back(std::move(row));
  return layout;
}

}  // namespace reckon::cli
