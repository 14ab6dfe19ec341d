#pragma once
// What a model is and what it needs, for people: `reckon info`, the doctor and the defaults of requests only print it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/model_config.h"
#include "base/tensor_type.h"
#include "formats/tensor_file.h"

namespace reckon::arch {

struct TypeUse {
  TensorType type = TensorType::kF32;
  int n_tensors = 0;
  std::uint64_t n_bytes = 0;
};

// What the authors advise, from the keys general.sampling.*; empty where the file has nothing (or nonsense) to say.
struct SamplingDefaults {
  std::optional<float> temperature;
  std::optional<int> top_k;
  std::optional<float> top_p;
  std::optional<float> min_p;
  std::optional<float> repetition_penalty;
};

// Text is safe to print.
struct ModelSummary {
  std::string name;          // general.name, or the name of the file
  std::string architecture;  // "qwen2"
  std::string quantisation;  // "Q4_K_M" as the converter called it, or the type that most bytes have
  std::uint64_t n_parameters = 0;
  std::uint64_t file_bytes = 0;          // over all shards
  std::uint64_t weight_bytes = 0;        // of all tensors that are used
  std::uint64_t bytes_per_token = 0;     // weights read for one decoded token
  std::uint64_t kv_bytes_per_token = 0;  // of one cached token, keys and values in f16
  std::vector<TypeUse> types;            // of all tensors, most bytes first
  std::string tokenizer_model;           // "gpt2"
  std::string tokenizer_pre;             // "qwen2"; empty: not said
  bool has_chat_template = false;
  SamplingDefaults sampling;

  // Weights and the keys and values of n_context tokens, without buffers (some tens of MB).
  [[nodiscard]] std::uint64_t memory_bytes(int n_context) const;
};

ModelSummary summarize(const formats::TensorFile& file, const Plan& plan);

// "Q4_K_M" for 15; empty where the number is not known. Source: LlamaFileType of gguf-py.
std::string_view file_type_name(std::uint64_t file_type);

}  // namespace reckon::arch
