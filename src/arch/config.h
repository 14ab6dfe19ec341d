#pragma once
// From metadata to ModelConfig. Shapes of tensors come later (bind.h).

#include "arch/keys.h"
#include "arch/model_config.h"

namespace reckon::arch {

// Everything of the config but what only tensors tell: n_vocab, tied_head, qkv_bias, rope.factors.
// kInvalidInput: a key that is missing, or breaks a rule; kUnsupported: a model that this program would run wrongly.
Result<ModelConfig> read_config(const formats::TensorFile& file);

// "qwen2", as general.architecture has it.
const char* architecture_name(Architecture architecture);

}  // namespace reckon::arch
