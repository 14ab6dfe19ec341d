#pragma once
// What a model's authors advise for sampling: the file's own keys, else what the model card of its family says.

#include <cstdint>
#include <string>
#include <string_view>

#include "arch/model_config.h"
#include "arch/summary.h"
#include "reckon/sampling.h"

namespace reckon::engine {

struct SampleAdvice {
  SampleOptions options;
  std::string origin;  // "the model file", "DeepSeek-R1's model card" ...
};

struct ModelTraits {
  arch::Architecture architecture = arch::Architecture::kQwen2;
  std::string_view name = {};
  std::string_view chat_template = {};
  std::uint64_t n_parameters = 0;
};

// A file that gives a temperature speaks for all: what it leaves out is off. Other keys change the family's advice.
SampleAdvice advise_sampling(const ModelTraits& traits, const arch::SamplingDefaults& file);

}  // namespace reckon::engine
