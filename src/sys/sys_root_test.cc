#include "sys/sys_root.h"

#include <gtest/gtest.h>

#include "sys/fixture_machine.h"

namespace reckon::sys {
namespace {

using Ints = std::vector<int>;

TEST(ParseList, ReadsRangesAndSingles) {
  EXPECT_EQ(parse_list("0-3,8\n"), (Ints{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_list("5"), Ints{5});
  EXPECT_EQ(parse_list("3,1,1-2"), (Ints{1, 2, 3}));
  EXPECT_EQ(parse_list("\n"), Ints{});
}

TEST(ParseList, RefusesWhatIsNoList) {
  for (const char* text : {"a", "3-1", "-1", "1,,2", "0-99999999", "1-", "0x3", "1 2"}) {
    EXPECT_EQ(parse_list(text), std::nullopt) << text;
  }
}

TEST(ParseList, BoundsWhatRepeatedRangesCanAskFor) {
  std::string text = "0-65535";
  for (int i = 0; i < 1000; ++i) text += ",0-65535";
  EXPECT_EQ(parse_list(text), std::nullopt);
}

TEST(ParseNumbers, ReadCacheSizesAndIntegers) {
  EXPECT_EQ(parse_cache_size("48K\n"), 48U << 10);
  EXPECT_EQ(parse_cache_size("2M"), 2U << 20);
  EXPECT_EQ(parse_cache_size("4096"), 4096U);
  EXPECT_EQ(parse_cache_size("-1K"), std::nullopt);
  EXPECT_EQ(parse_cache_size("K"), std::nullopt);
  EXPECT_EQ(parse_int("-5\n"), -5);
  EXPECT_EQ(parse_int("12x"), std::nullopt);
  EXPECT_EQ(parse_int(""), std::nullopt);
}

TEST(FindValue, TakesTheWholeKeyOnly) {
  constexpr std::string_view kFile = "VmRSSX:\t1 kB\nVmRSS:\t  1234 kB\ninactive_file 77\nCount:\t9\n";
  EXPECT_EQ(find_value(kFile, "VmRSS"), "1234 kB");
  EXPECT_EQ(find_bytes(kFile, "VmRSS"), 1234U * 1024);
  EXPECT_EQ(find_bytes(kFile, "inactive_file"), 77U);
  EXPECT_EQ(find_bytes(kFile, "Count"), 9U);
  EXPECT_EQ(find_value(kFile, "Vm"), std::nullopt);
}

TEST(SysRoot, MissingFilesAreEmpty) {
  const FixtureMachine machine;
  EXPECT_EQ(machine.root().read("/proc/meminfo"), std::nullopt);
  EXPECT_EQ(machine.root().read_int("/sys/x"), std::nullopt);
  EXPECT_FALSE(machine.root().is_this_machine());
  EXPECT_TRUE(SysRoot().is_this_machine());
}

TEST(SysRoot, ReadsAFolderAsEmptyInsteadOfFailing) {
  const FixtureMachine machine;
  machine.write("/sys/folder/file", "1");
  EXPECT_EQ(machine.root().read_int("/sys/folder"), std::nullopt);
}

TEST(SysRoot, StopsReadingAtALimit) {
  const FixtureMachine machine;
  machine.write("/proc/huge", std::string(std::size_t{3} << 20, 'x'));
  EXPECT_EQ(machine.root().read("/proc/huge")->size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace reckon::sys
