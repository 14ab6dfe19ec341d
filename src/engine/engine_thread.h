#pragma once
// The public Engine over a runner, whatever it is: one thread that owns the step loop, and a mailbox in front of it.

#include <memory>

#include "base/result.h"
#include "model/runner.h"
#include "reckon/engine.h"

namespace reckon::engine {

// Destroyed from the last to the first.
struct EngineParts {
  std::shared_ptr<const void> foundation;  // what the runner stands on: file, plan, compute threads
  std::unique_ptr<model::Runner> runner;
  std::shared_ptr<const Tokenizer> tokenizer;
  ModelInfo info;
  int n_threads = 1;
  double read_limit = 0;  // see EngineStats
};

// options.n_context and options.kv_bytes are set; n_threads is not looked at. kOutOfMemory, kInvalidInput.
Result<std::unique_ptr<Engine>> start_engine(EngineParts parts, const EngineOptions& options);

}  // namespace reckon::engine
