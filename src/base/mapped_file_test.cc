#include "base/mapped_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/mapped_ranges.h"

namespace reckon {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  ~MappedFileTest() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "reckon_mapped_file_test.bin";
};

TEST_F(MappedFileTest, AFileIsFoundByItsAddressesForAsLongAsItIsMapped) {
  std::ofstream(path_) << "twelve bytes";
  const std::byte* inside = nullptr;
  {
    auto file = MappedFile::open(path_);
    ASSERT_TRUE(file) << file.error().message;
    inside = file->bytes().data() + 11;
    EXPECT_EQ(find_mapped_range(file->bytes().data()), path_.string());
    EXPECT_EQ(find_mapped_range(inside), path_.string());
    EXPECT_EQ(find_mapped_range(inside + 1), "");
    EXPECT_EQ(find_mapped_range(&inside), "");
    const MappedFile moved = std::move(*file);
    EXPECT_EQ(find_mapped_range(inside), path_.string());
  }
  EXPECT_EQ(find_mapped_range(inside), "");
}

TEST_F(MappedFileTest, AnEmptyFileHasNoAddresses) {
  std::ofstream(path_).flush();
  const auto file = MappedFile::open(path_);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->bytes().empty());
  EXPECT_EQ(find_mapped_range(nullptr), "");
}

TEST(MappedRanges, ALongNameKeepsItsEnd) {
  const std::byte bytes[8] = {};
  const std::string name = std::string(600, 'x') + "model.gguf";
  const int slot = add_mapped_range(bytes, name);
  ASSERT_GE(slot, 0);
  EXPECT_EQ(find_mapped_range(bytes), name.substr(name.size() - kMaxRangeName));
  remove_mapped_range(slot);
}

TEST(MappedRanges, AFullTableIsNoError) {
  static const std::byte bytes[kMaxMappedRanges + 1] = {};
  int taken[kMaxMappedRanges];
  for (int i = 0; i < kMaxMappedRanges; ++i) taken[i] = add_mapped_range(std::span(bytes + i, 1), "file");
  EXPECT_EQ(add_mapped_range(std::span(bytes + kMaxMappedRanges, 1), "one too many"), -1);
  EXPECT_EQ(find_mapped_range(bytes + kMaxMappedRanges), "");
  for (const int slot : taken) remove_mapped_range(slot);
}

}  // namespace
}  // namespace reckon
