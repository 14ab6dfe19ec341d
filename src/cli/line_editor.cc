#include "cli/line_editor.h"

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

constexpr int kEscapeTimeoutMs = 50;  // bytes of one key come together; a lone Escape comes alone
constexpr std::size_t kMaxLine = 1u << 20;
constexpr std::string_view kPasteOn = "\x1b[?2004h";
constexpr std::string_view kPasteOff = "\x1b[?2004l";

}  // namespace

std::string EditorView::draw(std::string_view prompt, std::string_view indent, const EditBuffer& buffer, int width,
                             int height, const Style& style) {
  const Layout layout = lay_out(prompt, indent, buffer, width);
  const int total = static_cast<int>(layout.rows.size());
  const int shown = std::min(total, std::max(1, height - 1));
  const int first = std::clamp(layout.cursor_row - shown / 2, 0, total - shown);

  std::string out = "\r";
  if (cursor_row_ > 0) out += fmt::format("\x1b[{}A", cursor_row_);
  out += "\x1b[J";
  for (int i = first; i < first + shown; ++i) {
    if (i > first) out += "\r\n";
    const std::string& row = layout.rows[static_cast<std::size_t>(i)];
    if (i == 0 && row.starts_with(prompt)) {
      out += fmt::format("{}{}{}", style.bold(), prompt, style.reset());
      out += std::string_view(row).substr(prompt.size());
    } else {
      out += row;
    }
  }
  cursor_row_ = layout.cursor_row - first;
  n_rows_ = shown;
  if (const int up = shown - 1 - cursor_row_; up > 0) out += fmt::format("\x1b[{}A", up);
  out += "\r";
  if (layout.cursor_column > 0) out += fmt::format("\x1b[{}C", layout.cursor_column);
  return out;
}

std::string EditorView::leave() {
  std::string out;
  if (const int down = n_rows_ - 1 - cursor_row_; down > 0) out += fmt::format("\x1b[{}B", down);
  cursor_row_ = 0;
  n_rows_ = 1;
  return out + "\r\n";
}

// Three modes: as found; editing (raw); answering (no echo, but Ctrl-C is a signal).
struct LineEditor::Terminal {
  termios found{};
  bool usable = false;
  std::atomic<bool> changed{false};

  explicit Terminal(const Io& io) {
    usable = io.in_is_terminal && io.out_is_terminal && ::tcgetattr(io.in_fd, &found) == 0;
  }
  void set(int fd, const termios& mode) {
    changed = true;
    while (::tcsetattr(fd, TCSADRAIN, &mode) != 0 && errno == EINTR) {
    }
  }
  void edit(int fd) {
    termios raw = found;
    raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    set(fd, raw);
  }
  void answer(int fd) {
    termios quiet = found;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    quiet.c_lflag |= ISIG;
    set(fd, quiet);
  }
};

LineEditor::LineEditor(Io& io, History& history, Complete complete)
    : io_(io), history_(history), complete_(std::move(complete)), terminal_(std::make_unique<Terminal>(io)) {}

LineEditor::~LineEditor() { restore_terminal(); }

void LineEditor::restore_terminal() {
  if (!terminal_->usable || !terminal_->changed.exchange(false)) return;
  while (::tcsetattr(io_.in_fd, TCSADRAIN, &terminal_->found) != 0 && errno == EINTR) {
  }
}

LineEditor::Line LineEditor::read_line(std::string_view prompt, std::string_view indent) {
  if (!terminal_->usable) return read_plain();
  terminal_->edit(io_.in_fd);
  io_.out.write(kPasteOn);
  Line line = edit(prompt, indent);
  io_.out.write(kPasteOff);
  terminal_->answer(io_.in_fd);
  return line;
}

LineEditor::Line LineEditor::read_plain() {
  while (true) {
    const auto newline = unread_.find('\n');
    if (newline != std::string::npos || at_end_ || unread_.size() >= kMaxLine) {
      if (unread_.empty()) return {};
      const std::size_t end = std::min({newline, unread_.size(), kMaxLine});
      Line line{Line::Kind::kText, unread_.substr(0, end)};
      unread_.erase(0, newline == end ? end + 1 : end);
      if (line.text.ends_with('\r')) line.text.pop_back();
      return line;
    }
    char chunk[4096];
    const ssize_t n = ::read(io_.in_fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      at_end_ = true;
    } else {
      unread_.append(chunk, static_cast<std::size_t>(n));
    }
  }
}

std::optional<unsigned char> LineEditor::read_byte(int timeout_ms) {
  while (true) {
    pollfd ready{io_.in_fd, POLLIN, 0};
    const int n = ::poll(&ready, 1, timeout_ms);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    unsigned char byte = 0;
    const ssize_t got = ::read(io_.in_fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) at_end_ = true;
    return got == 1 ? std::optional(byte) : std::nullopt;
  }
}

LineEditor::Line LineEditor::edit(std::string_view prompt, std::string_view indent) {
  const Style style(io_.out_colour);
  EditorView view;
  KeyDecoder keys;
  buffer_.set("");
  draft_.clear();
  history_at_ = history_.entries().size();
  std::optional<Line> line;
  bool stale = true;
  while (!line) {
    // Many bytes may wait (a paste, typing while an answer came): draw once they are taken.
    auto byte = read_byte(stale ? 0 : keys.is_pending() && !keys.in_paste() ? kEscapeTimeoutMs : -1);
    if (!byte) {
      if (at_end_) return {};
      if (stale) {
        io_.out.write(view.draw(prompt, indent, buffer_, io_.width(), io_.height(), style));
        stale = false;
      } else {
        keys.timeout();
      }
      continue;
    }
    const auto key = keys.push(*byte);
    if (!key) continue;
    if (key->type == KeyType::kClearScreen) io_.out.write("\x1b[H\x1b[2J");
    if (key->type == KeyType::kClearScreen) view = EditorView();
    line = on_key(*key);
    stale = true;
  }
  // The final text stays on the screen; the cursor goes below it.
  io_.out.write(view.draw(prompt, indent, buffer_, io_.width(), io_.height(), style));
  io_.out.write(view.leave());
  return std::move(*line);
}

std::optional<LineEditor::Line> LineEditor::on_key(const Key& key) {
  switch (key.type) {
    case KeyType::kEnter:
      return Line{Line::Kind::kText, buffer_.text()};
    case KeyType::kInterrupt:
      return Line{Line::Kind::kInterrupt, buffer_.text()};
    case KeyType::kEndOfInput:
      if (buffer_.text().empty()) return Line{Line::Kind::kEnd, ""};
      buffer_.apply(Key{KeyType::kDelete, "", false});
      return std::nullopt;
    case KeyType::kUp:
      browse(-1);
      return std::nullopt;
    case KeyType::kDown:
      browse(1);
      return std::nullopt;
    case KeyType::kTab:
      complete();
      return std::nullopt;
    case KeyType::kText:
      if (buffer_.text().size() + key.text.size() > kMaxLine) return std::nullopt;
      [[fallthrough]];
    default:
      buffer_.apply(key);
      return std::nullopt;
  }
}

void LineEditor::browse(int step) {
  const auto& entries = history_.entries();
  if (step < 0 ? history_at_ == 0 : history_at_ == entries.size()) return;
  if (history_at_ == entries.size()) draft_ = buffer_.text();
  history_at_ = step < 0 ? history_at_ - 1 : history_at_ + 1;
  buffer_.set(history_at_ == entries.size() ? draft_ : entries[history_at_]);
}

// To the longest common start of what the line may become.
void LineEditor::complete() {
  if (!complete_ || buffer_.cursor() != buffer_.text().size()) return;
  const auto candidates = complete_(buffer_.text());
  if (candidates.empty()) return;
  std::string common = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto [a, b] = std::ranges::mismatch(common, candidate);
    common.erase(a, common.end());
  }
  if (common.size() > buffer_.text().size()) buffer_.set(common);
}

}  // namespace reckon::cli
