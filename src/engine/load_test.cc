// The parts of loading that need no model: how much memory to take, and which sampling to advise.

#include <gtest/gtest.h>

#include "engine/memory_plan.h"
#include "engine/sample_defaults.h"

namespace reckon::engine {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

// R1-Distill-Qwen-1.5B: 28 KiB a token.
MemoryWish wish_of_r1(std::uint64_t available_mib) {
  return {.available_bytes = available_mib * kMiB,
          .weight_bytes = 980 * kMiB,
          .page_bytes = 64 * 28 * 1024,
          .n_context_train = 131072};
}

TEST(MemoryPlan, TakesTwoModestContextsByDefault) {
  const auto plan = plan_memory(wish_of_r1(16000));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->n_context, 8192);
  EXPECT_EQ(plan->n_pages, 256U);
  EXPECT_EQ(plan->note, "");
}

TEST(MemoryPlan, CutsThePoolAndThenTheContextToWhatIsFree) {
  const auto one = plan_memory(wish_of_r1(1600));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->n_context, 8192);
  EXPECT_LT(one->n_pages, 256U);
  EXPECT_GE(one->n_pages, 128U);
  const auto cut = plan_memory(wish_of_r1(1400));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_LT(cut->n_context, 8192);
  EXPECT_GE(cut->n_context, 1024);
  EXPECT_EQ(cut->n_pages, static_cast<std::uint64_t>(cut->n_context / 64));
  EXPECT_NE(cut->note.find("cut from 8192 to"), std::string::npos);
}

TEST(MemoryPlan, RefusesWithNumbersAndARemedy) {
  const auto no_weights = plan_memory(wish_of_r1(1024));
  ASSERT_FALSE(no_weights);
  EXPECT_EQ(no_weights.error().code, ErrorCode::kOutOfMemory);
  const std::string& message = no_weights.error().message;
  EXPECT_NE(message.find("1.1 GiB"), std::string::npos) << message;
  EXPECT_NE(message.find("1.0 GiB are free"), std::string::npos) << message;
  EXPECT_NE(message.find("smaller model or quantisation"), std::string::npos) << message;
  MemoryWish long_context = wish_of_r1(2000);
  long_context.n_context = 131072;
  const auto refused = plan_memory(long_context);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("3.5 GiB"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("take a context of"), std::string::npos);
}

TEST(MemoryPlan, HonoursAGivenPool) {
  MemoryWish wish = wish_of_r1(16000);
  wish.kv_bytes = 100 * kMiB;
  const auto cut = plan_memory(wish);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->n_pages, 57U);
  EXPECT_EQ(cut->n_context, 57 * 64);
  wish.n_context = 8192;
  const auto refused = plan_memory(wish);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(refused.error().message.find("give it 224 MiB"), std::string::npos) << refused.error().message;
  wish.kv_bytes = 1;
  wish.n_context = 0;
  EXPECT_FALSE(plan_memory(wish));
}

TEST(MemoryPlan, ChecksNothingWhereTheMachineSaysNothing) {
  const auto plan = plan_memory(wish_of_r1(0));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->n_pages, 256U);
}

TEST(MemoryPlan, ShortModelsKeepTheirContextAndLongWishesAreNoted) {
  MemoryWish wish = wish_of_r1(16000);
  wish.n_context_train = 2048;
  EXPECT_EQ(plan_memory(wish)->n_context, 2048);
  wish.n_context = 4096;
  EXPECT_EQ(plan_memory(wish)->n_context, 4096);
  EXPECT_NE(plan_memory(wish)->note.find("trained"), std::string::npos);
  wish.n_context = -1;
  EXPECT_FALSE(plan_memory(wish));
  wish.n_context = 1 << 21;
  EXPECT_FALSE(plan_memory(wish));
}

using arch::Architecture;

TEST(SampleDefaults, KnowTheFamilies) {
  const auto r1 = advise_sampling({.architecture = Architecture::kQwen2, .name = "DeepSeek R1 Distill Qwen 1.5B"}, {});
  EXPECT_FLOAT_EQ(r1.options.temperature, 0.6F);
  EXPECT_FLOAT_EQ(r1.options.top_p, 0.95F);
  EXPECT_EQ(r1.options.top_k, 0);
  EXPECT_FLOAT_EQ(r1.options.repetition_penalty, 1);
  EXPECT_EQ(r1.origin, "DeepSeek-R1's model card");
  const auto by_template = advise_sampling(
      {.architecture = Architecture::kQwen2, .name = "my-finetune", .chat_template = "{{'<｜Assistant｜>'}}"}, {});
  EXPECT_FLOAT_EQ(by_template.options.temperature, 0.6F);

  const auto coder = advise_sampling(
      {.architecture = Architecture::kQwen2, .name = "Qwen2.5 Coder 1.5B Instruct", .n_parameters = 1'540'000'000}, {});
  EXPECT_FLOAT_EQ(coder.options.temperature, 0.7F);
  EXPECT_EQ(coder.options.top_k, 20);
  EXPECT_FLOAT_EQ(coder.options.top_p, 0.8F);
  EXPECT_FLOAT_EQ(coder.options.repetition_penalty, 1.1F);

  EXPECT_FLOAT_EQ(
      advise_sampling({.architecture = Architecture::kLlama, .name = "Smollm2 135M 8k"}, {}).options.temperature, 0.2F);
  EXPECT_EQ(advise_sampling({.architecture = Architecture::kQwen3, .name = "Qwen3 0.6B"}, {}).options.top_k, 20);
  EXPECT_FLOAT_EQ(advise_sampling({.architecture = Architecture::kLlama, .name = "Llama 3.2 1B"}, {}).options.top_p,
                  0.9F);
  EXPECT_FLOAT_EQ(advise_sampling({.architecture = Architecture::kLlama, .name = "other"}, {}).options.temperature,
                  0.7F);
}

TEST(SampleDefaults, TheFileHasTheLastWord) {
  const ModelTraits qwen{.architecture = Architecture::kQwen2, .name = "Qwen2.5 1.5B"};
  arch::SamplingDefaults file;
  file.temperature = 0.9F;
  file.min_p = 0.05F;
  const auto whole = advise_sampling(qwen, file);
  EXPECT_FLOAT_EQ(whole.options.temperature, 0.9F);
  EXPECT_FLOAT_EQ(whole.options.min_p, 0.05F);
  EXPECT_EQ(whole.options.top_k, 0);
  EXPECT_FLOAT_EQ(whole.options.repetition_penalty, 1);
  EXPECT_EQ(whole.origin, "the model file");
  arch::SamplingDefaults partly;
  partly.top_k = 40;
  const auto mixed = advise_sampling(qwen, partly);
  EXPECT_EQ(mixed.options.top_k, 40);
  EXPECT_FLOAT_EQ(mixed.options.top_p, 0.8F);
  EXPECT_EQ(mixed.origin, "the model file and Qwen2.5's model card");
}

}  // namespace
}  // namespace reckon::engine
