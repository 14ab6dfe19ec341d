#include "cli/generation_settings.h"

#include <gtest/gtest.h>

namespace reckon::cli {
namespace {

std::optional<std::string> set(GenerationSettings& settings, const char* name, const char* value) {
  const Setting* setting = find_setting(name);
  return setting == nullptr ? "no such setting" : setting->set(settings, value);
}

TEST(GenerationSettings, TakesValuesInRangeOnly) {
  GenerationSettings settings;
  EXPECT_FALSE(set(settings, "temp", "0.6"));
  EXPECT_EQ(settings.temperature, 0.6);
  for (const char* bad : {"nan", "inf", "-1", "11", "", "0.6x", "0,6"}) EXPECT_TRUE(set(settings, "temp", bad)) << bad;
  EXPECT_EQ(settings.temperature, 0.6);
  EXPECT_EQ(set(settings, "top_p", "1.5"), "want a number from 0 to 1, got '1.5'");
  EXPECT_TRUE(set(settings, "max_tokens", "0"));
  EXPECT_TRUE(set(settings, "max_tokens", "99999999999"));
  EXPECT_TRUE(set(settings, "seed", "-1"));
  EXPECT_FALSE(set(settings, "think-budget", "0"));
  EXPECT_EQ(settings.think_budget, 0);
}

TEST(GenerationSettings, ShowsWhatWasSet) {
  for (const Setting& setting : all_settings()) {
    GenerationSettings settings;
    const std::string value = std::string_view(setting.value_name).find('|') != std::string_view::npos ? "auto" : "1";
    EXPECT_FALSE(setting.set(settings, value)) << setting.name;
    EXPECT_EQ(setting.show(settings), value) << setting.name;
  }
}

TEST(GenerationSettings, KeepsTheAuthorsAdviceWhereNothingIsSet) {
  SampleOptions advice;
  advice.temperature = 0.6f;
  advice.top_p = 0.95f;
  GenerationSettings settings;
  settings.top_p = 0.5;
  settings.seed = 7;
  const SampleOptions sample = sample_options(settings, advice);
  EXPECT_EQ(sample.temperature, 0.6f);
  EXPECT_EQ(sample.top_p, 0.5f);
  EXPECT_EQ(sample.seed, 7u);
}

}  // namespace
}  // namespace reckon::cli
