#pragma once
// How a command of the program is put together. One file a command; program.cc lists them.

#include <functional>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace CLI {
class App;
}

namespace reckon::cli {

struct Context {
  Io& io;
  InterruptWatch* watch = nullptr;  // null in tests
};

struct Command {
  CLI::App* app = nullptr;  // owned by the root
  std::function<Outcome<Exit>(Context&)> run;
};

// Each adds its subcommand and flags to the root.
Command add_run(CLI::App& root);
Command add_chat(CLI::App& root);
Command add_serve(CLI::App& root);
Command add_bench(CLI::App& root);
Command add_info(CLI::App& root);
Command add_check(CLI::App& root);
Command add_tokenize(CLI::App& root);
Command add_render(CLI::App& root);
Command add_logits(CLI::App& root);
Command add_config(CLI::App& root);
Command add_completion(CLI::App& root);

}  // namespace reckon::cli
