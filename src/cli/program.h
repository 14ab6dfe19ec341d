#pragma once
// The whole command line: commands, --help, --version, what a wrong flag gets told.

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/flag_sources.h"

namespace reckon::cli {

// Never throws. `args` without the program's name.
Exit run_program(std::span<const std::string> args, Context& context);

// What the command has against settings that nobody gave on its command line, with where they come from; empty:
// nothing.
std::string first_problem(const std::string& command, const FlagSources& sources);

// All commands as data, for completion and for the test of the man page.
CommandInfo describe_program();

}  // namespace reckon::cli
