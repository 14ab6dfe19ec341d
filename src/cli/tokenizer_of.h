#pragma once
// The tokenizer of a model file, without its weights.

#include <memory>

#include "base/result.h"
#include "formats/tensor_file.h"
#include "reckon/tokenizer.h"

namespace reckon::cli {

Result<std::unique_ptr<Tokenizer>> tokenizer_of(const formats::TensorFile& file);

}  // namespace reckon::cli
