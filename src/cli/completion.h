#pragma once
// Shell completion, made from the commands and flags that the parser knows.

#include <string>

#include "cli/command_tree.h"

namespace reckon::cli {

std::string bash_completion(const CommandInfo& program);
std::string zsh_completion(const CommandInfo& program);
std::string fish_completion(const CommandInfo& program);

}  // namespace reckon::cli
