#include "cli/exit_code.h"

namespace reckon::cli {

CommandError in_stage(Stage stage, Error error) {
  Exit exit = Exit::kFailed;
  switch (error.code) {
    case ErrorCode::kOutOfMemory:
      exit = Exit::kMemory;
      break;
    case ErrorCode::kPromptTooLong:
      exit = Exit::kLimit;
      break;
    case ErrorCode::kLimit:
      exit = stage == Stage::kLoad ? Exit::kModel : Exit::kLimit;
      break;
    case ErrorCode::kCancelled:
      exit = Exit::kInterrupted;
      break;
    default:
      exit = stage == Stage::kLoad ? Exit::kModel : stage == Stage::kUsage ? Exit::kUsage : Exit::kFailed;
  }
  return CommandError{exit, std::move(error.message)};
}

}  // namespace reckon::cli
