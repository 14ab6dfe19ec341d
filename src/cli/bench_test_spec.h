#pragma once
// What `reckon bench --tests` may say: pp512, tg64, tg32@d4096, tg64x4, tg64x4@d1024.

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"

namespace reckon::cli {

struct BenchTest {
  enum class Kind { kPrompt, kDecode } kind = Kind::kPrompt;
  std::string name;                                               // as it was written
  int n_tokens = 0;                                               // of the prompt, or decoded by each sequence
  int depth = 0;                                                  // tokens already in the cache of each sequence
  int n_sequences = 1;                                            // decoded together
  [[nodiscard]] int context() const { return depth + n_tokens; }  // of each sequence
};

// A list with commas; 1..64 tests. Exit::kUsage with what was wanted.
Outcome<std::vector<BenchTest>> parse_bench_tests(std::string_view list);

}  // namespace reckon::cli
