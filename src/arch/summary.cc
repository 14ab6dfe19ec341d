#include "arch/summary.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "arch/config.h"
#include "formats/quote.h"

namespace reckon::arch {
namespace {

// Index: general.file_type. Empty: never given out, or removed.
constexpr std::array<std::string_view, 41> kFileTypes = {
    "F32",    "F16",     "Q4_0",   "Q4_1",   "",       "",          "",       "Q8_0",  "Q5_0",    "Q5_1",   "Q2_K",
    "Q3_K_S", "Q3_K_M",  "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S",    "Q5_K_M", "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S",
    "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",  "IQ3_M",     "IQ2_S",  "IQ2_M", "IQ4_XS",  "IQ1_M",  "BF16",
    "",       "",        "",       "TQ1_0",  "TQ2_0",  "MXFP4_MOE", "NVFP4",  "Q1_0"};
constexpr std::uint64_t kGuessed = 1024;  // a bit beside the number: the converter was not told

// Nothing here is needed to run a model, so what has a wrong type counts as absent.
template <class T>
std::optional<T> lenient(Result<std::optional<T>> value) {
  return value ? *value : std::nullopt;
}

std::optional<float> number_within(const formats::TensorFile& file, std::string_view key, double min, double max) {
  auto value = lenient(file.get_float(key));
  if (!value) {
    if (const auto whole = lenient(file.get_uint(key))) value = static_cast<double>(*whole);
  }
  if (!value || !(*value >= min && *value <= max)) return std::nullopt;
  return static_cast<float>(*value);
}

SamplingDefaults read_sampling(const formats::TensorFile& file) {
  SamplingDefaults defaults;
  defaults.temperature = number_within(file, "general.sampling.temp", 0, 10);
  defaults.top_p = number_within(file, "general.sampling.top_p", 1e-6, 1);
  defaults.min_p = number_within(file, "general.sampling.min_p", 0, 1);
  defaults.repetition_penalty = number_within(file, "general.sampling.penalty_repeat", 1e-3, 10);
  if (const auto top_k = number_within(file, "general.sampling.top_k", 0, 1 << 20))
    defaults.top_k = static_cast<int>(*top_k);
  return defaults;
}

std::vector<TypeUse> count_types(const formats::TensorFile& file) {
  std::vector<TypeUse> types;
  for (const formats::Tensor& tensor : file.tensors()) {
    auto use = std::ranges::find(types, tensor.type, &TypeUse::type);
    if (use == types.end()) use = types.insert(use, TypeUse{.type = tensor.type});
    ++use->n_tensors;
    use->n_bytes += tensor.data.size();
  }
  std::ranges::sort(types, [](const TypeUse& a, const TypeUse& b) {
    return a.n_bytes != b.n_bytes ? a.n_bytes > b.n_bytes : a.type < b.type;
  });
  return types;
}

std::uint64_t norm_and_bias_bytes(const TensorPlan& plan) {
  std::uint64_t sum = plan.output_norm->data.size();
  for (const LayerTensors& layer : plan.layers) {
    for (const formats::Tensor* tensor :
         {layer.attn_norm, layer.ffn_norm, layer.q_bias, layer.k_bias, layer.v_bias, layer.q_norm, layer.k_norm}) {
      if (tensor != nullptr) sum += tensor->data.size();
    }
  }
  return sum;
}

}  // namespace

std::string_view file_type_name(std::uint64_t file_type) {
  const std::uint64_t number = file_type & ~kGuessed;
  return number < kFileTypes.size() ? kFileTypes[number] : std::string_view{};
}

std::uint64_t ModelSummary::memory_bytes(int n_context) const {
  return weight_bytes + kv_bytes_per_token * static_cast<std::uint64_t>(std::max(n_context, 0));
}

ModelSummary summarize(const formats::TensorFile& file, const Plan& plan) {
  const ModelConfig& config = plan.config;
  ModelSummary summary;
  summary.name = config.name;
  if (summary.name.empty()) summary.name = std::filesystem::path(file.label()).stem().string();
  summary.architecture = architecture_name(config.architecture);
  summary.types = count_types(file);
  if (const auto type = lenient(file.get_uint("general.file_type"))) summary.quantisation = file_type_name(*type);
  if (summary.quantisation.empty()) summary.quantisation = type_info(summary.types.front().type)->name;

  summary.n_parameters = plan.tensors.n_parameters();
  summary.file_bytes = file.file_bytes();
  summary.bytes_per_token = plan.tensors.bytes_per_token();
  summary.weight_bytes = summary.bytes_per_token + norm_and_bias_bytes(plan.tensors);
  if (!config.tied_head) summary.weight_bytes += plan.tensors.token_embd->data.size();
  summary.kv_bytes_per_token = 2ULL * sizeof(std::uint16_t) * static_cast<std::uint64_t>(config.n_layers) *
                               static_cast<std::uint64_t>(config.kv_size());

  summary.tokenizer_model = formats::printable(lenient(file.get_string("tokenizer.ggml.model")).value_or(""));
  summary.tokenizer_pre = formats::printable(lenient(file.get_string("tokenizer.ggml.pre")).value_or(""));
  summary.has_chat_template = !lenient(file.get_string("tokenizer.chat_template")).value_or("").empty();
  summary.sampling = read_sampling(file);
  return summary;
}

}  // namespace reckon::arch
