#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "arch/model_config.h"
#include "base/log.h"
#include "formats/tensor_file.h"
#include "formats/test_model.h"
#include "quant/quantize.h"

namespace reckon::arch {
namespace {

using formats::GgufWriter;
using formats::TestModelOptions;

// A plan and the file it points into.
struct Opened {
  std::unique_ptr<formats::TensorFile> file;
  Result<Plan> plan;
};

Opened open(const GgufWriter& writer) {
  auto bytes = writer.finish();
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
  auto file = formats::open_model_bytes(*std::move(bytes));
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  auto plan = make_plan(**file);
  return {*std::move(file), std::move(plan)};
}

GgufWriter model(const TestModelOptions& options = {}, TensorType type = TensorType::kQ8_0) {
  return make_test_model(options, type, quant::fill_random_blocks);
}

template <class Change>
std::string error_after(Change change, const TestModelOptions& options = {}) {
  GgufWriter writer = model(options);
  change(writer);
  const Opened opened = open(writer);
  return opened.plan ? "" : opened.plan.error().message;
}

void expect_says(const std::string& found, std::string_view part) {
  EXPECT_NE(found.find(part), std::string::npos) << "found: " << found;
}

void add_floats(GgufWriter& writer, const std::string& name, std::span<const float> numbers) {
  const auto bytes = std::as_bytes(numbers);
  writer.add_tensor(name, TensorType::kF32, {static_cast<std::int64_t>(numbers.size())}, {bytes.begin(), bytes.end()});
}

TEST(Plan, qwen2_has_biases_and_turns_halves) {
  const Opened opened = open(model());
  ASSERT_TRUE(opened.plan) << opened.plan.error().message;
  const ModelConfig& c = opened.plan->config;
  EXPECT_EQ(c.architecture, Architecture::kQwen2);
  EXPECT_EQ(c.name, "tiny");
  EXPECT_EQ(c.n_layers, 2);
  EXPECT_EQ(c.q_size(), 64);
  EXPECT_EQ(c.kv_size(), 32);
  EXPECT_EQ(c.n_vocab, 300);
  EXPECT_EQ(c.rope.n_dims, 16);
  EXPECT_TRUE(c.rope.neox && c.qkv_bias && c.tied_head && !c.qk_norm);
  const TensorPlan& t = opened.plan->tensors;
  EXPECT_EQ(t.output, t.token_embd);
  ASSERT_EQ(t.layers.size(), 2U);
  EXPECT_EQ(t.layers[1].down->name, "blk.1.ffn_down.weight");
  EXPECT_EQ(t.layers[1].k_bias->n_elements(), 32);
  EXPECT_EQ(t.layers[1].q_norm, nullptr);
  // Per layer q, o: 64 x 64; k, v: 64 x 32; three of 64 x 128; the head 64 x 300; 34 bytes for 32 numbers.
  EXPECT_EQ(t.bytes_per_token(), (2U * (2 * 4096 + 2 * 2048 + 3 * 8192) + 19200) / 32 * 34);
  EXPECT_EQ(t.n_parameters(), 2U * (2 * 4096 + 2 * 2048 + 3 * 8192 + 2 * 64 + 128) + 19200 + 64);
}

TEST(Plan, llama_turns_neighbours_and_may_lack_biases) {
  TestModelOptions options{.architecture = "llama", .tied_head = false, .qkv_bias = false};
  const Opened opened = open(model(options));
  ASSERT_TRUE(opened.plan) << opened.plan.error().message;
  EXPECT_FALSE(opened.plan->config.rope.neox);
  EXPECT_FALSE(opened.plan->config.qkv_bias);
  EXPECT_FALSE(opened.plan->config.tied_head);
  EXPECT_EQ(opened.plan->tensors.output->name, "output.weight");
  EXPECT_TRUE(opened.plan->config.rope.factors.empty());
  options.qkv_bias = true;
  EXPECT_TRUE(open(model(options)).plan->config.qkv_bias);
}

TEST(Plan, llama_3_divides_frequencies) {
  const TestModelOptions options{.architecture = "llama", .qkv_bias = false};
  GgufWriter writer = model(options);
  const std::vector<float> factors{1, 1, 1, 1.5F, 4, 8, 8, 8};
  add_floats(writer, "rope_freqs.weight", factors);
  const Opened opened = open(writer);
  ASSERT_TRUE(opened.plan) << opened.plan.error().message;
  EXPECT_EQ(opened.plan->config.rope.factors, factors);
  for (const float bad :
       {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    auto damaged = factors;
    damaged[3] = bad;
    expect_says(error_after([&](GgufWriter& w) { add_floats(w, "rope_freqs.weight", damaged); }, options),
                "'rope_freqs.weight'");
  }
  expect_says(
      error_after([&](GgufWriter& w) { add_floats(w, "rope_freqs.weight", std::span(factors).first(4)); }, options),
      "found shape [4], expected [8]");
}

TEST(Plan, qwen3_has_norms_and_heads_of_any_size) {
  TestModelOptions options{.architecture = "qwen3", .head_size = 24, .qkv_bias = false, .qk_norm = true};
  const Opened opened = open(model(options, TensorType::kF16));
  ASSERT_TRUE(opened.plan) << opened.plan.error().message;
  EXPECT_EQ(opened.plan->config.head_size, 24);
  EXPECT_EQ(opened.plan->config.q_size(), 96);
  EXPECT_EQ(opened.plan->tensors.layers[0].q_norm->n_elements(), 24);
  EXPECT_EQ(opened.plan->tensors.layers[0].o->shape, (std::vector<std::int64_t>{96, 64}));
  options.qk_norm = false;
  expect_says(open(model(options, TensorType::kF16)).plan.error().message, "'blk.0.attn_q_norm.weight': missing");
}

TEST(Plan, every_weight_type_is_accepted) {
  for (const TensorType type : all_tensor_types()) {
    EXPECT_TRUE(open(model({.n_embd = 256, .n_ff = 512, .head_size = 64}, type)).plan) << type_info(type)->name;
  }
}

TEST(Plan, required_keys_are_named) {
  for (const char* key :
       {"qwen2.block_count", "qwen2.context_length", "qwen2.embedding_length", "qwen2.feed_forward_length",
        "qwen2.attention.head_count", "qwen2.attention.layer_norm_rms_epsilon", "general.architecture"}) {
    expect_says(error_after([&](GgufWriter& w) { w.remove(key); }), std::string("key '") + key + "': missing");
    expect_says(error_after([&](GgufWriter& w) { w.set_string(key, "2"); }), key[0] == 'g' ? "architecture '2'" : key);
  }
}

TEST(Plan, counts_are_in_range_and_divide) {
  struct Case {
    const char* key;
    std::uint64_t value;
  };
  for (const auto& [key, value] : std::initializer_list<Case>{{"block_count", 0},
                                                              {"block_count", 3},
                                                              {"block_count", 1},
                                                              {"block_count", 1025},
                                                              {"block_count", (1ULL << 32) + 2},
                                                              {"embedding_length", 0},
                                                              {"embedding_length", 65},
                                                              {"embedding_length", 128},
                                                              {"embedding_length", 1ULL << 40},
                                                              {"feed_forward_length", 0},
                                                              {"feed_forward_length", 129},
                                                              {"context_length", 0},
                                                              {"attention.head_count", 0},
                                                              {"attention.head_count", 3},
                                                              {"attention.head_count", 65536},
                                                              {"attention.head_count_kv", 0},
                                                              {"attention.head_count_kv", 3},
                                                              {"attention.head_count_kv", 8},
                                                              {"attention.key_length", 0},
                                                              {"attention.key_length", 1U << 31},
                                                              {"attention.value_length", 8},
                                                              {"rope.dimension_count", 0},
                                                              {"rope.dimension_count", 15},
                                                              {"rope.dimension_count", 18}}) {
    EXPECT_NE(error_after([&](GgufWriter& w) { w.set_uint64(std::string("qwen2.") + key, value); }), "")
        << key << " " << value;
  }
}

TEST(Plan, a_silly_context_is_cut) {
  GgufWriter writer = model();
  writer.set_uint64("qwen2.context_length", 0xffff'ffff);
  EXPECT_EQ(open(writer).plan->config.n_context_train, 1 << 26);
}

TEST(Plan, heads_may_be_listed_by_layer_if_they_are_equal) {
  const std::vector<std::int32_t> equal{2, 2};
  const std::vector<std::int32_t> different{2, 4};
  const std::vector<std::int32_t> few{2};
  const auto with = [](std::span<const std::int32_t> list) {
    return error_after([&](GgufWriter& w) { w.set_int32s("qwen2.attention.head_count_kv", list); });
  };
  EXPECT_EQ(with(equal), "");
  expect_says(with(different), "different shapes");
  expect_says(with(few), "found a list of 1");
}

TEST(Plan, numbers_are_finite_and_sensible) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, inf, -1e-6F, 0.0F, 1e30F}) {
    EXPECT_NE(error_after([&](GgufWriter& w) { w.set_float("qwen2.attention.layer_norm_rms_epsilon", bad); }), "")
        << bad;
    EXPECT_NE(error_after([&](GgufWriter& w) { w.set_float("qwen2.rope.freq_base", bad == 1e30F ? 1e-40F : bad); }), "")
        << bad;
    EXPECT_NE(error_after([&](GgufWriter& w) { w.set_float("qwen2.rope.scaling.factor", bad); }), "") << bad;
  }
}

TEST(Plan, rope_scaling_is_run_or_refused_never_ignored) {
  GgufWriter linear = model();
  linear.set_string("qwen2.rope.scaling.type", "linear");
  linear.set_float("qwen2.rope.scaling.factor", 4);
  EXPECT_EQ(open(linear).plan->config.rope.scale, 0.25F);
  GgufWriter yarn = linear;
  yarn.set_string("qwen2.rope.scaling.type", "yarn");
  expect_says(open(yarn).plan.error().message, "original_context_length': missing");
  yarn.set_uint32("qwen2.rope.scaling.original_context_length", 32768);
  const RopeConfig rope = open(yarn).plan->config.rope;
  EXPECT_EQ(rope.yarn_factor, 4);
  EXPECT_EQ(rope.yarn_original_context, 32768);
  EXPECT_EQ(rope.scale, 1);
  yarn.set_float("qwen2.rope.scaling.yarn_beta_fast", 16);
  expect_says(open(yarn).plan.error().message, "YaRN with this setting");
  linear.set_string("qwen2.rope.scaling.type", "longrope");
  expect_says(open(linear).plan.error().message, "found 'longrope', expected none, linear or yarn");
}

TEST(Plan, relatives_with_another_forward_pass_are_refused) {
  expect_says(error_after([](GgufWriter& w) { w.set_uint32("qwen2.expert_count", 8); }), "mixture of experts");
  EXPECT_EQ(error_after([](GgufWriter& w) { w.set_uint32("qwen2.expert_count", 0); }), "");
  expect_says(error_after([](GgufWriter& w) { w.set_bool("qwen2.attention.causal", false); }), "embeddings");
  expect_says(error_after([](GgufWriter& w) { w.set_float("qwen2.logit_scale", 0.5F); }), "scaled logits");
  expect_says(error_after([](GgufWriter& w) { w.set_float("qwen2.attention.scale", 0.5F); }), "expected 0.25");
  EXPECT_EQ(error_after([](GgufWriter& w) { w.set_float("qwen2.attention.scale", 0.25F); }), "");
  expect_says(error_after([](GgufWriter& w) { w.set_uint32("qwen2.attention.sliding_window", 64); }), "window");
  EXPECT_EQ(error_after([](GgufWriter& w) { w.set_uint32("qwen2.attention.sliding_window", 4096); }), "");
  expect_says(error_after([](GgufWriter& w) { w.set_string("general.architecture", "gemma2"); }),
              "architecture 'gemma2'");
}

TEST(Plan, tokens_and_embedding_rows_agree) {
  const std::vector<std::string> tokens(299, "x");
  expect_says(error_after([&](GgufWriter& w) { w.set_strings("tokenizer.ggml.tokens", tokens); }),
              "found 300 rows, expected one for each of the 299");
  EXPECT_EQ(error_after([](GgufWriter& w) { w.remove("tokenizer.ggml.tokens"); }), "");
}

TEST(Plan, an_extra_tensor_is_refused_if_it_may_matter) {
  const std::vector<float> numbers(64);
  for (const char* name : {"blk.0.attn_output.bias", "blk.2.attn_q.weight", "blk.0.ffn_gate_inp.weight", "output.bias",
                           "rope_freqs.weight"}) {
    expect_says(error_after([&](GgufWriter& w) { add_floats(w, name, numbers); }), name);
  }
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, std::string_view line) { warnings.emplace_back(line); });
  EXPECT_EQ(error_after([&](GgufWriter& w) { add_floats(w, "note\n", numbers); }), "");
  EXPECT_EQ(error_after([&](GgufWriter& w) { w.set_uint32("qwen2.novelty", 1); }), "");
  set_log_sink({});
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0], "the model: tensor 'note\\x0a' is not used");
  EXPECT_EQ(warnings[1], "the model: key 'qwen2.novelty' is not known here and ignored");
}

}  // namespace
}  // namespace reckon::arch
