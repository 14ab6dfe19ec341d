#include "cli/terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdlib>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb" && *term != '\0';
}

winsize window() {
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) != 0 && ::ioctl(2, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

void print_labelled(Io& io, std::string_view colour, std::string_view label, std::string_view message) {
  const Style style(io.err_colour);
  std::string line = "reckon: ";
  line += colour;
  line += label;
  line += style.reset();
  line += one_line(message);
  io.err.line(line);
}

}  // namespace

bool Output::write(std::string_view text) {
  if (errno_ != 0) return false;
  if (sink_ != nullptr) {
    *sink_ += text;
    return true;
  }
  while (!text.empty()) {
    const ssize_t n = ::write(fd_, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      errno_ = errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool Output::broken_pipe() const { return errno_ == EPIPE; }

int Io::width() const {
  const int columns = window().ws_col;
  return columns > 0 ? columns : 80;
}

int Io::height() const {
  const int rows = window().ws_row;
  return rows > 0 ? rows : 24;
}

Io standard_io() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      if (::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0) break;
    }
  }
  std::setlocale(LC_CTYPE, "");
  Io io;
  io.in_is_terminal = ::isatty(0) != 0;
  io.out_is_terminal = ::isatty(1) != 0;
  io.err_is_terminal = ::isatty(2) != 0;
  io.out_colour = io.out_is_terminal && colour_wanted();
  io.err_colour = io.err_is_terminal && colour_wanted();
  io.utf8 = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
  return io;
}

void print_error(Io& io, std::string_view message) {
  print_labelled(io, Style(io.err_colour).red(), "error: ", message);
}

void print_warning(Io& io, std::string_view message) {
  print_labelled(io, Style(io.err_colour).yellow(), "warning: ", message);
}

}  // namespace reckon::cli
