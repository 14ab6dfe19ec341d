#pragma once
// What a fallible call returns: a value, or an Error that a person can act on.

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace reckon {

// The kind of an error. It decides the exit code of the program and the status of the service.
enum class ErrorCode : std::uint8_t {
  kInvalidInput,   // a file, flag, template or request that breaks a rule
  kNotFound,       // a file, model or name that is not there
  kUnsupported,    // well formed, but nothing here can run it
  kLimit,          // over a stated limit: size, depth, steps
  kPromptTooLong,  // the prompt does not fit the context
  kQueueFull,      // try again later
  kOutOfMemory,    // the machine has less memory than the work needs
  kIo,             // the operating system refused a read or a write
  kCancelled,      // the caller took the work back, or the engine shuts down
  kInternal,       // a result that must not happen, e.g. NaN logits
};

// `message` is one line that names the thing and, where there is one, the remedy.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace reckon
