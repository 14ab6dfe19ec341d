#pragma once
// From a checked model file to something that runs steps.

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "model/runner.h"

namespace reckon::arch {
struct Plan;
}
namespace reckon::sys {
class ThreadPool;
}

namespace reckon::model {

struct LoadOptions {
  int max_step_tokens = 512;
  int max_step_logits = 64;
  int max_context = 8192;  // positions that the rope tables cover
  bool huge_pages = true;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;  // bytes of weights packed
};

// Packs the weights for this CPU (RECKON_ISA forces a table), with all threads of the pool.
// The file behind the plan must outlive the runner (embedding rows are read from it); so must the pool. kUnsupported,
// kOutOfMemory.
Result<std::unique_ptr<Runner>> load(const arch::Plan& plan, sys::ThreadPool& pool, const LoadOptions& options);

}  // namespace reckon::model
