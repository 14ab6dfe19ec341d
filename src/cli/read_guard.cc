#include "cli/read_guard.h"

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

#include "base/mapped_ranges.h"
#include "cli/exit_code.h"

namespace reckon::cli {
namespace {

constexpr std::string_view kRemedy =
    ": cannot be read any more: it was changed while in use, or its disk fails; put the file back and start again\n";

// A line put together on the stack: nothing else is safe in a signal handler.
class Line {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  // Control characters of a file name would reach the terminal.
  void add_name(std::string_view name) {
    for (const char c : name) add(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
  }
  void write() const {
    if (::write(2, text_, size_) < 0) return;  // nobody is left to be told
  }

 private:
  void add(char c) {
    if (size_ < sizeof text_) text_[size_++] = c;
  }
  char text_[kMaxRangeName + 200];
  std::size_t size_ = 0;
};

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const bool sent = info->si_code <= 0;  // by kill(): no address comes with it
  const std::string_view name = sent ? std::string_view() : find_mapped_range(info->si_addr);
  if (name.empty()) {
    ::signal(signal, SIG_DFL);  // a read is tried again on return, and ends the program
    if (sent) ::raise(signal);
    return;
  }
  Line line;
  if (::isatty(2) != 0) line.add("\x1b[0m\n");  // an answer or a progress bar may stand on the line, dimmed
  line.add("reckon: error: ");
  line.add_name(name);
  line.add(kRemedy);
  line.write();
  ::_exit(static_cast<int>(Exit::kModel));
}

}  // namespace

void install_read_guard() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigfillset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace reckon::cli
