#pragma once
// From tensor names to a TensorPlan: every tensor that a forward pass reads, with exactly the shape the config asks
// for.

#include "arch/model_config.h"

namespace reckon::arch {

// Fills in what only tensors tell: n_vocab, tied_head, qkv_bias, rope.factors. Pointers go into `file`.
// kInvalidInput: a tensor that is missing or has another shape; kUnsupported: one that would change the result but is
// not known here. Other extra tensors are ignored with a warning.
Result<TensorPlan> bind_tensors(const formats::TensorFile& file, ModelConfig& config);

}  // namespace reckon::arch
