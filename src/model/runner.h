#pragma once
// Runs steps. The engine knows a model only through this, so that its tests can put a scripted one in its place.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/step.h"

namespace reckon::model {

// So many rows of a step cost about what a part of them does: a scheduler that fills such groups wastes nothing.
inline constexpr int kRowGroup = 8;

class Runner {
 public:
  virtual ~Runner() = default;

  [[nodiscard]] virtual int n_vocab() const = 0;
  [[nodiscard]] virtual int n_embd() const = 0;
  [[nodiscard]] virtual std::size_t page_bytes() const = 0;  // of one kv page of kPageTokens tokens
  [[nodiscard]] virtual int max_step_tokens() const = 0;     // most tokens of one step, over all spans
  [[nodiscard]] virtual int max_step_logits() const = 0;     // most rows of logits of one step
  // The weights as they lie in memory, which a step reads once; empty where there are none.
  [[nodiscard]] virtual std::span<const std::byte> weights() const = 0;

  // Thread: engine thread, which takes part in the work. Logits do not depend on what else is in the step, on how a
  // prompt is cut into steps, or on the number of threads, bit for bit. Allocates nothing.
  // kInternal where logits are NaN or infinite (the message names the sequence's span).
  virtual Result<void> run(const Step& step, const kv::PagePool& pool, std::span<float> logits) = 0;

  // Seconds by phase since the start (attention, ffn, barrier wait ...).
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> phase_seconds() const = 0;
};

}  // namespace reckon::model
