#pragma once
// The text of a request: words of the command line, files, standard input.

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace reckon::cli {

struct PromptSources {
  std::vector<std::string> words;  // of the command line, joined with spaces; "-" stands for standard input
  std::vector<std::string> files;  // -f, "-" is standard input
};

inline constexpr std::size_t kMaxPromptBytes = 16u << 20;  // far over any context: refused before it fills memory

// Words first, then files, then standard input, an empty line between. Standard input is read where "-" asks for it,
// or where it is a pipe or a file and no -f was given. A byte order mark is dropped, and one newline at the end of
// each file. Exit::kUsage where there is nothing at all, kLimit over kMaxPromptBytes.
Outcome<std::string> read_prompt(const PromptSources& sources, Io& io);

// A whole file, at most `limit` bytes. Works for pipes and devices too.
Outcome<std::string> read_file(const std::string& path, std::size_t limit);

}  // namespace reckon::cli
