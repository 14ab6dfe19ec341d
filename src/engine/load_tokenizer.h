#pragma once
// The tokenizer that a model file holds. No weights are touched.

#include <memory>

#include "base/result.h"
#include "formats/tensor_file.h"
#include "reckon/tokenizer.h"

namespace reckon::engine {

// The tokenizer keeps nothing of the file. kInvalidInput, kUnsupported, kLimit; the message starts with the file.
Result<std::unique_ptr<Tokenizer>> load_tokenizer(const formats::TensorFile& file);

}  // namespace reckon::engine
