#include "http/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace reckon::http {
namespace {

class KeyFileTest : public testing::Test {
 protected:
  KeyFileTest() : path_(std::filesystem::temp_directory_path() / ("reckon-keys-" + std::to_string(::getpid()))) {}
  ~KeyFileTest() override { std::filesystem::remove(path_); }
  Result<std::vector<ApiKey>> read(const std::string& text, mode_t mode = 0600) {
    std::filesystem::remove(path_);
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
    return read_key_file(path_);
  }
  const std::filesystem::path path_;
};

TEST_F(KeyFileTest, HoldsNamesAndKeys) {
  const auto keys = read("# people\n\nalice: abcdefghijklmnop\r\nqrstuvwxyz0123456789\n");
  ASSERT_TRUE(keys) << keys.error().message;
  ASSERT_EQ(keys->size(), 2U);
  const ApiKey* alice = find_key(*keys, "abcdefghijklmnop");
  ASSERT_NE(alice, nullptr);
  EXPECT_EQ(alice->name, "alice");
  const ApiKey* second = find_key(*keys, "qrstuvwxyz0123456789");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->name, "key-2");
  EXPECT_EQ(find_key(*keys, "abcdefghijklmno"), nullptr);
  EXPECT_EQ(find_key(*keys, "abcdefghijklmnop "), nullptr);
  EXPECT_EQ(find_key(*keys, ""), nullptr);
}

TEST_F(KeyFileTest, MustBePrivateAndHoldSoundKeys) {
  const std::string good = "abcdefghijklmnop\n";
  for (const mode_t mode : {0640U, 0604U, 0620U, 0644U}) {
    const auto keys = read(good, mode);
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().code, ErrorCode::kInvalidInput);
  }
  for (const std::string& bad :
       {std::string(), std::string("# none\n"), std::string("short\n"), std::string("bob: short\n"),
        std::string("a b: abcdefghijklmnop\n"), std::string("abcdefgh ijklmnop\n")}) {
    const auto keys = read(bad);
    ASSERT_FALSE(keys) << bad;
    EXPECT_EQ(keys.error().code, ErrorCode::kInvalidInput);
    EXPECT_FALSE(keys.error().message.contains("ijklmnop")) << "the message shows a key";
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(read_key_file(path_).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_key_file(std::filesystem::temp_directory_path()).error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace reckon::http
