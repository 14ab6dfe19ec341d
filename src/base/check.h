#pragma once
// RECKON_CHECK: stops the program at a bug of ours. Never reachable by input.

namespace reckon {
[[noreturn]] void check_failed(const char* expression, const char* file, int line);
}  // namespace reckon

#define RECKON_CHECK(expression)                               \
  do {                                                         \
    if (!(expression)) [[unlikely]]                            \
      ::reckon::check_failed(#expression, __FILE__, __LINE__); \
  } while (false)
