#include "arch/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/log.h"
#include "formats/quote.h"

namespace reckon::arch {
namespace {

// Limits of security.md 2; above any model of these architectures, below anything that could overflow an int.
constexpr IntRange kLayers{1, 1024};
constexpr IntRange kHeads{1, 4096};
constexpr IntRange kWidth{1, 1 << 20};
constexpr IntRange kFeedForward{1, 1 << 22};
constexpr IntRange kHeadSize{1, 1 << 13};
constexpr std::int64_t kMaxContext = 1 << 26;
constexpr FloatRange kEpsilon{1e-12, 0.1};
constexpr FloatRange kRopeBase{1, 1e12};
constexpr FloatRange kRopeFactor{1e-3, 1e6};

struct ArchitectureRow {
  Architecture architecture;
  const char* name;
  bool neox;  // which pairs of a head turn together, see RopeConfig
  bool qk_norm;
};

constexpr std::array<ArchitectureRow, 3> kArchitectures = {{
    {Architecture::kQwen2, "qwen2", true, false},
    {Architecture::kLlama, "llama", false, false},
    {Architecture::kQwen3, "qwen3", true, true},
}};

Result<const ArchitectureRow*> find_architecture(const formats::TensorFile& file) {
  constexpr std::string_view kKey = "general.architecture";
  RECKON_TRY(const auto name, file.get_string(kKey));
  if (!name) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{}: key '{}': missing: the file was not converted properly, take another one",
                            file.label(), kKey));
  }
  const auto found = std::ranges::find(kArchitectures, *name, &ArchitectureRow::name);
  if (found != kArchitectures.end()) return &*found;
  return fail(ErrorCode::kUnsupported,
              fmt::format("{}: architecture {} cannot be run here: take a model of qwen2, qwen3 or llama", file.label(),
                          formats::quote(*name)));
}

Result<void> read_sizes(const Keys& keys, ModelConfig& config) {
  RECKON_TRY(config.n_layers, keys.require_int("block_count", kLayers));
  RECKON_TRY(config.n_embd, keys.require_int("embedding_length", kWidth));
  RECKON_TRY(config.n_ff, keys.require_int("feed_forward_length", kFeedForward));
  RECKON_TRY(config.n_heads, keys.require_int("attention.head_count", kHeads));
  RECKON_TRY(config.n_kv_heads,
             keys.get_int_or_same_for_layers("attention.head_count_kv", kHeads, config.n_layers, config.n_heads));
  if (config.n_heads % config.n_kv_heads != 0) {
    return keys.bad("attention.head_count_kv",
                    fmt::format("found {}, expected a divisor of the {} heads: the file is damaged", config.n_kv_heads,
                                config.n_heads));
  }
  if (!keys.has("attention.key_length") && config.n_embd % config.n_heads != 0) {
    return keys.bad("attention.head_count",
                    fmt::format("found {}, expected a divisor of embedding_length {}: the file is damaged",
                                config.n_heads, config.n_embd));
  }
  RECKON_TRY(config.head_size, keys.get_int("attention.key_length", kHeadSize, config.n_embd / config.n_heads));
  RECKON_TRY(const int value_size, keys.get_int("attention.value_length", kHeadSize, config.head_size));
  if (value_size != config.head_size) {
    return keys.bad("attention.value_length",
                    fmt::format("found {}, expected the key length {}: such heads cannot be run here", value_size,
                                config.head_size),
                    ErrorCode::kUnsupported);
  }
  if (static_cast<std::int64_t>(config.n_heads) * config.head_size > kWidth.max) {
    return keys.bad("attention.head_count", fmt::format("{} heads of {} are wider than {}: the file is damaged",
                                                        config.n_heads, config.head_size, kWidth.max));
  }
  RECKON_TRY(config.norm_epsilon, keys.require_float("attention.layer_norm_rms_epsilon", kEpsilon));
  return {};
}

// The context of the file sizes nothing by itself, so a silly one is cut, not refused.
Result<void> read_context(const formats::TensorFile& file, const Keys& keys, ModelConfig& config) {
  const std::string key = keys.full("context_length");
  RECKON_TRY(const auto value, file.get_uint(key));
  if (!value) return keys.bad("context_length", "missing: the file was not converted properly, take another one");
  if (*value < 1) return keys.bad("context_length", "found 0, expected 1 or more: the file is damaged");
  if (*value > static_cast<std::uint64_t>(kMaxContext)) {
    log_line(LogLevel::kWarning, fmt::format("{}: key '{}': {} is cut to {}", file.label(), key, *value, kMaxContext));
  }
  config.n_context_train = static_cast<int>(std::min<std::uint64_t>(*value, kMaxContext));
  return {};
}

// YaRN has knobs that no model of these architectures turns; another value than the usual one would be run wrongly.
Result<void> read_yarn(const Keys& keys, RopeConfig& rope) {
  RECKON_TRY(rope.yarn_original_context, keys.require_int("rope.scaling.original_context_length", {1, kMaxContext}));
  RECKON_TRY_VOID(keys.refuse_unless("rope.scaling.yarn_ext_factor", 1, "YaRN with this setting"));
  RECKON_TRY_VOID(keys.refuse_unless("rope.scaling.yarn_attn_factor", 1, "YaRN with this setting"));
  RECKON_TRY_VOID(keys.refuse_unless("rope.scaling.attn_factor", 1, "YaRN with this setting"));
  RECKON_TRY_VOID(keys.refuse_unless("rope.scaling.yarn_beta_fast", 32, "YaRN with this setting"));
  RECKON_TRY_VOID(keys.refuse_unless("rope.scaling.yarn_beta_slow", 1, "YaRN with this setting"));
  return keys.refuse_unless("rope.scaling.yarn_log_multiplier", 0, "YaRN with this setting");
}

Result<void> read_rope(const Keys& keys, const ModelConfig& config, RopeConfig& rope) {
  RECKON_TRY(rope.n_dims, keys.get_int("rope.dimension_count", {1, config.head_size}, config.head_size));
  if (rope.n_dims % 2 != 0) {
    return keys.bad("rope.dimension_count",
                    fmt::format("found {}, expected an even number: the file is damaged", rope.n_dims));
  }
  RECKON_TRY(rope.base, keys.get_float("rope.freq_base", kRopeBase, 10000));
  // Older files have the factor without a type, or scale_linear: both mean linear.
  RECKON_TRY(const float old_factor, keys.get_float("rope.scale_linear", kRopeFactor, 1));
  RECKON_TRY(const float factor, keys.get_float("rope.scaling.factor", kRopeFactor, old_factor));
  RECKON_TRY(const std::string type, keys.get_string("rope.scaling.type", "linear"));
  if (type == "none") return {};
  if (type == "linear") {
    rope.scale = 1 / factor;
    return {};
  }
  if (type == "yarn") {
    rope.yarn_factor = factor;
    return read_yarn(keys, rope);
  }
  return keys.bad(
      "rope.scaling.type",
      fmt::format("found {}, expected none, linear or yarn: this scaling cannot be run here, take another model",
                  formats::quote(type)),
      ErrorCode::kUnsupported);
}

// Keys of relatives of these architectures whose forward pass is another one.
Result<void> refuse_relatives(const Keys& keys, const ModelConfig& config) {
  RECKON_TRY_VOID(keys.refuse_unless("expert_count", 0, "a mixture of experts"));
  RECKON_TRY_VOID(keys.refuse_unless("attention.causal", 1, "a model for embeddings"));
  RECKON_TRY_VOID(keys.refuse_unless("pooling_type", 0, "a model for embeddings"));
  RECKON_TRY_VOID(keys.refuse_unless("attention.clamp_kqv", 0, "clamped attention"));
  RECKON_TRY_VOID(keys.refuse_unless("attention.max_alibi_bias", 0, "ALiBi attention"));
  RECKON_TRY_VOID(keys.refuse_unless("attn_logit_softcapping", 0, "soft-capped attention"));
  RECKON_TRY_VOID(keys.refuse_unless("final_logit_softcapping", 0, "soft-capped logits"));
  RECKON_TRY_VOID(keys.refuse_unless("logit_scale", 1, "scaled logits"));
  RECKON_TRY_VOID(keys.refuse_unless("embedding_scale", 1, "scaled embeddings"));
  RECKON_TRY_VOID(keys.refuse_unless("residual_scale", 1, "scaled residuals"));
  RECKON_TRY(const float scale, keys.get_float("attention.scale", {0, 1e6}, 0));
  const float usual = 1 / std::sqrt(static_cast<float>(config.head_size));
  if (scale != 0 && std::fabs(scale - usual) > 1e-4F * usual) {
    return keys.bad(
        "attention.scale",
        fmt::format("found {:g}, expected {:g}: such attention cannot be run here, take another model", scale, usual),
        ErrorCode::kUnsupported);
  }
  RECKON_TRY(const auto window, keys.get_uint("attention.sliding_window"));
  if (window != 0 && window < static_cast<std::uint64_t>(config.n_context_train)) {
    return keys.bad("attention.sliding_window",
                    fmt::format("found {}: attention within a window cannot be run here, take another model", window),
                    ErrorCode::kUnsupported);
  }
  return {};
}

// Keys of the architecture that are read here or change nothing.
constexpr std::array<std::string_view, 33> kKnownKeys = {"block_count",
                                                         "context_length",
                                                         "embedding_length",
                                                         "feed_forward_length",
                                                         "vocab_size",
                                                         "attention.head_count",
                                                         "attention.head_count_kv",
                                                         "attention.key_length",
                                                         "attention.value_length",
                                                         "attention.layer_norm_rms_epsilon",
                                                         "attention.causal",
                                                         "attention.clamp_kqv",
                                                         "attention.max_alibi_bias",
                                                         "attention.scale",
                                                         "attention.sliding_window",
                                                         "pooling_type",
                                                         "attn_logit_softcapping",
                                                         "final_logit_softcapping",
                                                         "logit_scale",
                                                         "embedding_scale",
                                                         "residual_scale",
                                                         "expert_count",
                                                         "expert_used_count",
                                                         "rope.dimension_count",
                                                         "rope.freq_base",
                                                         "rope.scale_linear",
                                                         "rope.scaling.type",
                                                         "rope.scaling.factor",
                                                         "rope.scaling.original_context_length",
                                                         "rope.scaling.finetuned",
                                                         "rope.scaling.attn_factor",
                                                         "rope.scaling.yarn_log_multiplier",
                                                         "tensor_data_layout"};

void warn_of_unknown_keys(const formats::TensorFile& file, const Keys& keys) {
  const std::string prefix = keys.full("");
  for (const auto& [key, value] : file.describe()) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view rest = std::string_view(key).substr(prefix.size());
    if (rest.starts_with("rope.scaling.yarn_") || std::ranges::find(kKnownKeys, rest) != kKnownKeys.end()) continue;
    log_line(LogLevel::kWarning, fmt::format("{}: key '{}' is not known here and ignored", file.label(), key));
  }
}

}  // namespace

const char* architecture_name(Architecture architecture) {
  return std::ranges::find(kArchitectures, architecture, &ArchitectureRow::architecture)->name;
}

Result<ModelConfig> read_config(const formats::TensorFile& file) {
  RECKON_TRY(const auto row, find_architecture(file));
  const Keys keys(file, row->name);
  ModelConfig config;
  config.architecture = row->architecture;
  config.qk_norm = row->qk_norm;
  config.rope.neox = row->neox;
  RECKON_TRY(const auto name, file.get_string("general.name"));
  config.name = formats::printable(name.value_or(""), 200);
  RECKON_TRY_VOID(read_sizes(keys, config));
  RECKON_TRY_VOID(read_context(file, keys, config));
  RECKON_TRY_VOID(read_rope(keys, config, config.rope));
  RECKON_TRY_VOID(refuse_relatives(keys, config));
  warn_of_unknown_keys(file, keys);
  return config;
}

}  // namespace reckon::arch
