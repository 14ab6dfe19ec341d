#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/program.h"
#include "cli/read_guard.h"
#include "cli/terminal.h"

int main(int argc, char** argv) {
  reckon::cli::Io io = reckon::cli::standard_io();
  reckon::cli::install_read_guard();
  reckon::cli::InterruptWatch watch;
  reckon::cli::Context context{io, &watch};
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(reckon::cli::run_program(args, context));
}
