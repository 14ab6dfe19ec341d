#include "arch/summary.h"

#include <gtest/gtest.h>

#include "formats/test_model.h"
#include "quant/quantize.h"

namespace reckon::arch {
namespace {

ModelSummary summary_of(const formats::GgufWriter& writer) {
  const auto file = formats::open_model_bytes(writer.finish().value()).value();
  const auto plan = make_plan(*file);
  EXPECT_TRUE(plan) << plan.error().message;
  return summarize(*file, *plan);
}

formats::GgufWriter model() {
  return formats::make_test_model({.tied_head = false}, TensorType::kQ4_0, quant::fill_random_blocks);
}

TEST(Summary, counts_bytes_and_parameters) {
  const ModelSummary s = summary_of(model());
  EXPECT_EQ(s.name, "tiny");
  EXPECT_EQ(s.architecture, "qwen2");
  EXPECT_EQ(s.quantisation, "Q4_0");
  EXPECT_EQ(s.tokenizer_model, "gpt2");
  EXPECT_EQ(s.tokenizer_pre, "qwen2");
  EXPECT_FALSE(s.has_chat_template);
  ASSERT_EQ(s.types.size(), 2U);
  EXPECT_EQ(s.types[0].type, TensorType::kQ4_0);
  EXPECT_EQ(s.types[0].n_tensors, 2 * 7 + 2);
  EXPECT_EQ(s.types[1].n_tensors, 2 * 5 + 1);
  EXPECT_EQ(s.types[0].n_bytes + s.types[1].n_bytes, s.weight_bytes);
  EXPECT_GT(s.file_bytes, s.weight_bytes);
  EXPECT_EQ(s.kv_bytes_per_token, 2U * 2 * 2 * 32);  // K and V, two bytes, two layers, 32 wide
  EXPECT_EQ(s.memory_bytes(100) - s.memory_bytes(0), 100 * s.kv_bytes_per_token);
  EXPECT_EQ(s.memory_bytes(0), s.weight_bytes);
}

TEST(Summary, takes_the_name_of_the_converter_for_the_quantisation) {
  formats::GgufWriter writer = model();
  writer.set_uint32("general.file_type", 15);
  EXPECT_EQ(summary_of(writer).quantisation, "Q4_K_M");
  writer.set_uint32("general.file_type", 1024 + 15);
  EXPECT_EQ(summary_of(writer).quantisation, "Q4_K_M");
  writer.set_uint32("general.file_type", 999);
  EXPECT_EQ(summary_of(writer).quantisation, "Q4_0");
  EXPECT_EQ(file_type_name(7), "Q8_0");
  EXPECT_EQ(file_type_name(32), "BF16");
  EXPECT_EQ(file_type_name(30), "IQ4_XS");
}

TEST(Summary, advice_for_sampling_is_taken_if_it_makes_sense) {
  formats::GgufWriter writer = model();
  writer.set_float("general.sampling.temp", 0.6F);
  writer.set_float("general.sampling.top_p", 0.95F);
  writer.set_int32("general.sampling.top_k", 20);
  writer.set_float("general.sampling.min_p", 7);
  writer.set_string("general.sampling.penalty_repeat", "much");
  writer.set_string("tokenizer.chat_template", "{{ messages }}");
  const ModelSummary s = summary_of(writer);
  EXPECT_EQ(s.sampling.temperature, 0.6F);
  EXPECT_EQ(s.sampling.top_p, 0.95F);
  EXPECT_EQ(s.sampling.top_k, 20);
  EXPECT_FALSE(s.sampling.min_p.has_value());
  EXPECT_FALSE(s.sampling.repetition_penalty.has_value());
  EXPECT_TRUE(s.has_chat_template);
}

TEST(Summary, a_nameless_model_is_called_like_its_file) {
  formats::GgufWriter writer = model();
  writer.remove("general.name");
  EXPECT_EQ(summary_of(writer).name, "the model");
}

}  // namespace
}  // namespace reckon::arch
