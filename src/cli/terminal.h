#pragma once
// The three standard streams as a command sees them.

#include <memory>
#include <string>
#include <string_view>

namespace reckon::cli {

// Unbuffered writes to a file descriptor. The first failure sticks: later writes do nothing.
// Owner: Io. Thread: one at a time.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  explicit Output(std::string* sink) : sink_(sink) {}  // for tests

  // False once the reader is gone (EPIPE) or the system refused (a full disk); see failure().
  bool write(std::string_view text);
  bool line(std::string_view text) { return write(std::string(text) + "\n"); }
  [[nodiscard]] bool broken_pipe() const;
  [[nodiscard]] int error_number() const { return errno_; }  // 0: all went out

 private:
  int fd_ = -1;
  std::string* sink_ = nullptr;
  int errno_ = 0;
};

// What the streams are, and whether to use colour: only on a terminal, not with NO_COLOR or TERM=dumb.
struct Io {
  Output out{1};
  Output err{2};
  int in_fd = 0;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool out_colour = false;
  bool err_colour = false;
  bool utf8 = true;  // the locale can show more than ASCII

  [[nodiscard]] int width() const;   // columns of the terminal; 80 where there is none
  [[nodiscard]] int height() const;  // rows; 24 where there is none
};

// Opens /dev/null on standard descriptors that the caller closed, so that no file of ours lands on them.
[[nodiscard]] Io standard_io();

// ANSI codes, empty strings where `on` is false.
struct Style {
  explicit Style(bool on) : on_(on) {}
  [[nodiscard]] std::string_view faint() const { return on_ ? "\x1b[2m" : ""; }
  [[nodiscard]] std::string_view bold() const { return on_ ? "\x1b[1m" : ""; }
  [[nodiscard]] std::string_view red() const { return on_ ? "\x1b[31m" : ""; }
  [[nodiscard]] std::string_view yellow() const { return on_ ? "\x1b[33m" : ""; }
  [[nodiscard]] std::string_view green() const { return on_ ? "\x1b[32m" : ""; }
  [[nodiscard]] std::string_view cyan() const { return on_ ? "\x1b[36m" : ""; }
  [[nodiscard]] std::string_view reset() const { return on_ ? "\x1b[0m" : ""; }

 private:
  bool on_;
};

// "reckon: error: ..." on one line of standard error, whatever the message holds.
void print_error(Io& io, std::string_view message);
void print_warning(Io& io, std::string_view message);

}  // namespace reckon::cli
