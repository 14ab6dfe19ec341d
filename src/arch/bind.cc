#include "arch/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "formats/quote.h"

namespace reckon::arch {
namespace {

constexpr std::int64_t kMaxVocab = 1 << 24;
constexpr float kMinRopeFactor = 1e-3F;
constexpr float kMaxRopeFactor = 1e6F;
constexpr int kMaxWarnings = 4;

using Shape = std::vector<std::int64_t>;

// Trailing ones change nothing.
bool same_shape(const Shape& found, const Shape& expected) {
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const std::int64_t a = i < found.size() ? found[i] : 1;
    const std::int64_t b = i < expected.size() ? expected[i] : 1;
    if (a != b) return false;
  }
  return true;
}

class Binder {
 public:
  Binder(const formats::TensorFile& file, ModelConfig& config) : file_(file), config_(config) {}

  Result<TensorPlan> bind() {
    TensorPlan plan;
    RECKON_TRY_VOID(bind_embedding(plan));
    config_.qkv_bias = config_.architecture == Architecture::kQwen2 || file_.find("blk.0.attn_q.bias") != nullptr;
    plan.layers.resize(static_cast<std::size_t>(config_.n_layers));
    for (std::size_t i = 0; i < plan.layers.size(); ++i) RECKON_TRY_VOID(bind_layer(i, plan.layers[i]));
    RECKON_TRY(plan.output_norm, vector("output_norm.weight", config_.n_embd));
    config_.tied_head = file_.find("output.weight") == nullptr;
    plan.output = plan.token_embd;
    if (!config_.tied_head) {
      RECKON_TRY(plan.output, matrix("output.weight", config_.n_embd, config_.n_vocab));
    }
    RECKON_TRY_VOID(bind_rope_factors());
    RECKON_TRY_VOID(check_extra());
    return plan;
  }

 private:
  std::unexpected<Error> bad(std::string_view name, std::string_view what,
                             ErrorCode code = ErrorCode::kInvalidInput) const {
    return fail(code, fmt::format("{}: tensor {}: {}", file_.label(), formats::quote(name), what));
  }

  Result<const formats::Tensor*> required(const std::string& name, const Shape& expected) {
    const formats::Tensor* tensor = file_.find(name);
    if (tensor == nullptr) return bad(name, "missing: the file is incomplete, download it again or take another one");
    if (!same_shape(tensor->shape, expected)) {
      return bad(name, fmt::format("found shape {}, expected {}: the file is damaged", tensor->shape, expected));
    }
    used_.insert(tensor->name);
    return tensor;
  }

  Result<const formats::Tensor*> matrix(const std::string& name, int n_cols, int n_rows) {
    return required(name, {n_cols, n_rows});
  }

  Result<const formats::Tensor*> vector(const std::string& name, int n) {
    RECKON_TRY(const auto tensor, required(name, {n}));
    if (tensor->type != TensorType::kF32) {
      return bad(name, fmt::format("found type {}, expected F32: take a file made by the usual converter",
                                   type_info(tensor->type)->name));
    }
    return tensor;
  }

  // The table of embeddings tells the size of the vocabulary; the list of tokens must agree.
  Result<void> bind_embedding(TensorPlan& plan) {
    const std::string name = "token_embd.weight";
    const formats::Tensor* tensor = file_.find(name);
    std::int64_t n_vocab = tensor != nullptr && tensor->shape.size() >= 2 ? tensor->shape[1] : 1;
    if (n_vocab > kMaxVocab)
      return bad(name, fmt::format("{} rows are more than the limit of {} tokens", n_vocab, kMaxVocab));
    config_.n_vocab = static_cast<int>(n_vocab);
    RECKON_TRY(plan.token_embd, matrix(name, config_.n_embd, config_.n_vocab));
    RECKON_TRY(const auto tokens, file_.get_strings("tokenizer.ggml.tokens"));
    if (tokens && std::cmp_not_equal(tokens->size(), n_vocab)) {
      return bad(
          name,
          fmt::format(
              "found {} rows, expected one for each of the {} tokens of 'tokenizer.ggml.tokens': the file is damaged",
              n_vocab, tokens->size()));
    }
    return {};
  }

  Result<void> bind_layer(std::size_t i, LayerTensors& layer) {
    const ModelConfig& c = config_;
    const auto name = [&](std::string_view part) { return fmt::format("blk.{}.{}", i, part); };
    RECKON_TRY(layer.attn_norm, vector(name("attn_norm.weight"), c.n_embd));
    RECKON_TRY(layer.q, matrix(name("attn_q.weight"), c.n_embd, c.q_size()));
    RECKON_TRY(layer.k, matrix(name("attn_k.weight"), c.n_embd, c.kv_size()));
    RECKON_TRY(layer.v, matrix(name("attn_v.weight"), c.n_embd, c.kv_size()));
    if (c.qkv_bias) {
      RECKON_TRY(layer.q_bias, vector(name("attn_q.bias"), c.q_size()));
      RECKON_TRY(layer.k_bias, vector(name("attn_k.bias"), c.kv_size()));
      RECKON_TRY(layer.v_bias, vector(name("attn_v.bias"), c.kv_size()));
    }
    if (c.qk_norm) {
      RECKON_TRY(layer.q_norm, vector(name("attn_q_norm.weight"), c.head_size));
      RECKON_TRY(layer.k_norm, vector(name("attn_k_norm.weight"), c.head_size));
    }
    RECKON_TRY(layer.o, matrix(name("attn_output.weight"), c.q_size(), c.n_embd));
    RECKON_TRY(layer.ffn_norm, vector(name("ffn_norm.weight"), c.n_embd));
    RECKON_TRY(layer.gate, matrix(name("ffn_gate.weight"), c.n_embd, c.n_ff));
    RECKON_TRY(layer.up, matrix(name("ffn_up.weight"), c.n_embd, c.n_ff));
    RECKON_TRY(layer.down, matrix(name("ffn_down.weight"), c.n_ff, c.n_embd));
    return {};
  }

  // Llama 3: frequencies are divided one by one (the converter worked out the factors from rope_scaling).
  Result<void> bind_rope_factors() {
    const std::string name = "rope_freqs.weight";
    if (config_.architecture != Architecture::kLlama || file_.find(name) == nullptr) return {};
    RECKON_TRY(const auto tensor, vector(name, config_.rope.n_dims / 2));
    config_.rope.factors.resize(static_cast<std::size_t>(config_.rope.n_dims / 2));
    std::memcpy(config_.rope.factors.data(), tensor->data.data(), tensor->data.size());
    for (const float factor : config_.rope.factors) {
      if (!(factor >= kMinRopeFactor && factor <= kMaxRopeFactor)) {
        return bad(name, fmt::format("found {:g}, expected {:g} to {:g}: the file is damaged", factor, kMinRopeFactor,
                                     kMaxRopeFactor));
      }
    }
    return {};
  }

  // A tensor that belongs to the forward pass of some model must not be left out silently.
  Result<void> check_extra() const {
    constexpr std::array<std::string_view, 8> kParts = {"blk.",          "output",      "token_embd", "rope_",
                                                        "position_embd", "token_types", "enc.",       "dec."};
    int n_extra = 0;
    for (const formats::Tensor& tensor : file_.tensors()) {
      if (used_.contains(tensor.name)) continue;
      for (const std::string_view part : kParts) {
        if (!tensor.name.starts_with(part)) continue;
        return bad(tensor.name, "not part of this architecture as it is known here: take another file of the model",
                   ErrorCode::kUnsupported);
      }
      if (++n_extra <= kMaxWarnings) {
        log_line(LogLevel::kWarning,
                 fmt::format("{}: tensor {} is not used", file_.label(), formats::quote(tensor.name)));
      }
    }
    if (n_extra > kMaxWarnings) {
      log_line(LogLevel::kWarning,
               fmt::format("{}: {} more tensors are not used", file_.label(), n_extra - kMaxWarnings));
    }
    return {};
  }

  const formats::TensorFile& file_;
  ModelConfig& config_;
  std::set<std::string_view> used_;
};

}  // namespace

Result<TensorPlan> bind_tensors(const formats::TensorFile& file, ModelConfig& config) {
  return Binder(file, config).bind();
}

}  // namespace reckon::arch
