#pragma once
// What the program says to its caller: exit codes, and errors that carry one.

#include <expected>
#include <string>
#include <utility>

#include "reckon/result.h"

namespace reckon::cli {

// Documented in reckon(1) and at the end of `reckon --help`; scripts rely on them.
enum class Exit : int {
  kOk = 0,
  kFailed = 1,         // the work failed
  kUsage = 2,          // a flag or a value that cannot be
  kModel = 3,          // the model is absent, cannot be loaded or read
  kLimit = 4,          // the prompt does not fit, or another stated limit
  kMemory = 5,         // the machine has less memory than the work needs
  kInterrupted = 130,  // Ctrl-C
  kPipe = 141,         // the reader of our output went away
  kTerminated = 143,   // SIGTERM
};

struct CommandError {
  Exit exit = Exit::kFailed;
  std::string message;  // one line with the remedy
};

template <class T>
using Outcome = std::expected<T, CommandError>;

[[nodiscard]] inline std::unexpected<CommandError> stop(Exit exit, std::string message) {
  return std::unexpected<CommandError>(CommandError{exit, std::move(message)});
}

// Where an error came from decides what it means: a broken rule in a model file is kModel, in a flag kUsage.
enum class Stage { kUsage, kLoad, kWork };
[[nodiscard]] CommandError in_stage(Stage stage, Error error);

}  // namespace reckon::cli

// CLI_TRY(auto file, Stage::kLoad, open_model(path));  turns a Result's Error into this command's.
#define CLI_TRY(declaration, stage, expression)                                                                \
  auto RECKON_CAT(cli_try_, __LINE__) = (expression);                                                          \
  if (!RECKON_CAT(cli_try_, __LINE__))                                                                         \
    return std::unexpected(::reckon::cli::in_stage(stage, std::move(RECKON_CAT(cli_try_, __LINE__)).error())); \
  declaration = *std::move(RECKON_CAT(cli_try_, __LINE__))
