#pragma once
// Reads lines from a person: editing, history, wide characters, pastes. Plain lines where input is no terminal.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/edit_buffer.h"
#include "cli/history.h"
#include "cli/terminal.h"

namespace reckon::cli {

// What a terminal is told to show; pure, so that tests can look at it.
// Owner: LineEditor. Keeps the row of the cursor between two calls.
class EditorView {
 public:
  // Bytes that redraw the edited text, at most `height` rows of it around the cursor.
  std::string draw(std::string_view prompt, std::string_view indent, const EditBuffer& buffer, int width, int height,
                   const Style& style);
  // Bytes that leave the cursor on a fresh line below the text.
  std::string leave();

 private:
  int cursor_row_ = 0;  // rows below the first drawn one
  int n_rows_ = 1;
};

// Owner: the chat. Thread: one. The terminal is in raw mode only inside read_line(); while an answer is made,
// QuietTerminal keeps what is typed off the screen.
class LineEditor {
 public:
  struct Line {
    enum class Kind { kText, kInterrupt, kEnd } kind = Kind::kEnd;
    std::string text;
  };
  using Complete = std::function<std::vector<std::string>(std::string_view text)>;  // whole lines that text may become

  LineEditor(Io& io, History& history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  Line read_line(std::string_view prompt, std::string_view indent);
  // Puts the terminal back as it was; safe to call from a signal's thread.
  void restore_terminal();

 private:
  struct Terminal;
  Line read_plain();
  Line edit(std::string_view prompt, std::string_view indent);
  std::optional<Line> on_key(const Key& key);
  void browse(int step);
  void complete();
  std::optional<unsigned char> read_byte(int timeout_ms);

  Io& io_;
  History& history_;
  Complete complete_;
  std::unique_ptr<Terminal> terminal_;
  EditBuffer buffer_;
  std::size_t history_at_ = 0;  // entries().size(): the line being typed
  std::string draft_;
  std::string unread_;  // plain input behind the last line
  bool at_end_ = false;
};

}  // namespace reckon::cli
