#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace reckon {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "reckon: bug: %s does not hold (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace reckon
