#pragma once
// How long a context and how large a pool of keys and values the machine has memory for. Pure.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace reckon::engine {

struct MemoryWish {
  std::uint64_t available_bytes = 0;  // that can be taken without swapping; 0: not known, nothing is checked
  std::uint64_t weight_bytes = 0;     // that loading will take
  std::uint64_t page_bytes = 0;       // of one page of keys and values
  int n_context = 0;                  // tokens of one sequence; 0: as it fits, at most 8192
  int n_context_train = 0;
  std::uint64_t kv_bytes = 0;  // of the whole pool; 0: two contexts, or what fits
};

struct MemoryPlan {
  int n_context = 0;
  std::uint64_t n_pages = 0;  // at least one context
  std::string note;           // what was cut and why; empty: nothing
};

// kOutOfMemory, kInvalidInput, with the numbers and the remedy.
Result<MemoryPlan> plan_memory(const MemoryWish& wish);

}  // namespace reckon::engine
