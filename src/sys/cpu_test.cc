#include "sys/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace reckon::sys {
namespace {

// The kernel's own view: one word of the "flags" line of the first CPU.
bool kernel_says(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == flag) return true;
    }
    return false;
  }
  return false;
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const CpuFeatures& f = cpu_features();
  EXPECT_EQ(f.avx2, kernel_says("avx2") && kernel_says("fma") && kernel_says("f16c") && kernel_says("bmi2"));
  EXPECT_EQ(f.avx512, kernel_says("avx512f") && kernel_says("avx512bw") && kernel_says("avx512dq") &&
                          kernel_says("avx512vl") && kernel_says("avx512cd"));
  EXPECT_EQ(f.avx512_vnni, kernel_says("avx512_vnni"));
  EXPECT_EQ(f.avx512_vbmi, kernel_says("avx512vbmi"));
  EXPECT_EQ(f.avx512_bf16, kernel_says("avx512_bf16"));
  EXPECT_EQ(f.avx_vnni, kernel_says("avx_vnni"));
  EXPECT_EQ(f.gfni, kernel_says("gfni"));
}

TEST(CpuFeatures, NarrowerSetsComeWithWiderOnes) {
  const CpuFeatures& f = cpu_features();
  EXPECT_TRUE(!f.avx512_vnni || f.avx512);
  EXPECT_TRUE(!f.avx512 || f.avx2);
  EXPECT_TRUE(!f.avx_vnni || f.avx2);
}

TEST(CpuFeatures, NameIsTrimmedText) {
  const std::string& name = cpu_features().name;
  ASSERT_FALSE(name.empty());
  EXPECT_NE(name.front(), ' ');
  EXPECT_NE(name.back(), ' ');
  EXPECT_EQ(name.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace reckon::sys
