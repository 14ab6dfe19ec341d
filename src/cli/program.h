#pragma once
// The whole command line: commands, --help, --version, what a wrong flag gets told.

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/command_tree.h"

namespace reckon::cli {

// Never throws. `args` without the program's name.
Exit run_program(std::span<const std::string> args, Context& context);

// All commands as data, for completion and for the test of the man page.
CommandInfo describe_program();

}  // namespace reckon::cli
