#include "engine/sample_defaults.h"

namespace reckon::engine {
namespace {

// Lower case letters and digits only: "DeepSeek-R1 Distill" and "deepseek_r1_distill" are one name.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// Sources: the generation_config.json and model cards of deepseek-ai/DeepSeek-R1, Qwen/Qwen3-8B,
// Qwen/Qwen2.5-{1.5B,7B}-Instruct, HuggingFaceTB/SmolLM2 and SmolLM3, meta-llama/Llama-3.
SampleAdvice family_advice(const ModelTraits& traits) {
  const std::string name = plain(traits.name);
  const auto named = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
  const auto has_mark = [&traits](std::string_view mark) {
    return traits.chat_template.find(mark) != std::string_view::npos;
  };

  if (named("deepseekr1") || named("r1distill") || has_mark("<｜Assistant｜>")) {
    return {{.temperature = 0.6F, .top_p = 0.95F}, "DeepSeek-R1's model card"};
  }
  if (named("smollm3")) return {{.temperature = 0.6F, .top_p = 0.95F}, "SmolLM3's model card"};
  if (named("smollm")) return {{.temperature = 0.2F, .top_p = 0.9F}, "SmolLM2's model card"};
  if (traits.architecture == arch::Architecture::kQwen3) {
    return {{.temperature = 0.6F, .top_k = 20, .top_p = 0.95F}, "Qwen3's model card"};
  }
  if (traits.architecture == arch::Architecture::kQwen2) {
    const float repetition = traits.n_parameters < 2'500'000'000 ? 1.1F : 1.05F;
    return {{.temperature = 0.7F, .top_k = 20, .top_p = 0.8F, .repetition_penalty = repetition},
            "Qwen2.5's model card"};
  }
  if (named("llama3") || has_mark("<|start_header_id|>")) {
    return {{.temperature = 0.6F, .top_p = 0.9F}, "Llama 3's model card"};
  }
  return {{.temperature = 0.7F, .top_p = 0.95F}, "a default for models that say nothing"};
}

}  // namespace

SampleAdvice advise_sampling(const ModelTraits& traits, const arch::SamplingDefaults& file) {
  SampleAdvice advice = family_advice(traits);
  if (file.temperature) advice.options = {.temperature = *file.temperature};
  if (file.top_k) advice.options.top_k = *file.top_k;
  if (file.top_p) advice.options.top_p = *file.top_p;
  if (file.min_p) advice.options.min_p = *file.min_p;
  if (file.repetition_penalty) advice.options.repetition_penalty = *file.repetition_penalty;
  if (file.temperature || file.top_k || file.top_p || file.min_p || file.repetition_penalty) {
    advice.origin = file.temperature ? "the model file" : "the model file and " + advice.origin;
  }
  return advice;
}

}  // namespace reckon::engine
