#include "formats/shards.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "formats/gguf_writer.h"
#include "formats/tensor_file.h"

namespace reckon::formats {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, gone afterwards.
class Shards : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("reckon_shards_" + std::to_string(getpid()) + "_" + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Shard i of n holds tensor "t<i>"; the first one has the metadata.
  GgufWriter shard(std::uint16_t i, std::uint16_t n, std::int32_t n_tensors = 3) const {
    GgufWriter w;
    if (i == 0) w.set_string("general.name", "three");
    w.set_uint16("split.no", i);
    w.set_uint16("split.count", n);
    w.set_int32("split.tensors.count", n_tensors);
    w.add_tensor("t" + std::to_string(i), TensorType::kF32, {1}, std::vector<std::byte>(4, static_cast<std::byte>(i)));
    return w;
  }
  fs::path path(int number, int count = 3) const {
    return folder_ / ShardName{"m", 1, static_cast<std::size_t>(count)}.shard(static_cast<std::size_t>(number));
  }
  void write_all() const {
    for (std::uint16_t i = 0; i < 3; ++i) ASSERT_TRUE(shard(i, 3).write(path(i + 1)));
  }
  std::string error_of(const fs::path& what) const {
    const auto file = open_model(what);
    return file ? "" : file.error().message;
  }

  fs::path folder_;
};

TEST_F(Shards, any_shard_or_the_folder_opens_all) {
  write_all();
  for (const fs::path& given : {path(1), path(2), path(3), folder_}) {
    const auto file = open_model(given);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->tensors().size(), 3U);
    EXPECT_EQ(*(*file)->get_string("general.name").value(), "three");
    const Tensor* last = (*file)->find("t2");
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->data[0], std::byte{2});
    EXPECT_EQ(last->file->path().filename(), "m-00003-of-00003.gguf");
    EXPECT_EQ(last->file->bytes().data() + last->offset, last->data.data());
    EXPECT_EQ((*file)->find("t3"), nullptr);
  }
}

TEST_F(Shards, a_missing_shard_is_named) {
  write_all();
  fs::remove(path(2));
  EXPECT_NE(error_of(path(3)).find("1 of 3 shards are missing: m-00002-of-00003.gguf"), std::string::npos)
      << error_of(path(3));
  fs::remove(path(3));
  EXPECT_NE(error_of(folder_).find("m-00002-of-00003.gguf and 1 more"), std::string::npos) << error_of(folder_);
  fs::remove(path(1));
  EXPECT_NE(error_of(path(1)).find("m-00001-of-00003.gguf"), std::string::npos);
}

TEST_F(Shards, a_renamed_shard_says_what_it_should_be_called) {
  write_all();
  fs::rename(path(2), folder_ / "other.gguf");
  EXPECT_NE(error_of(folder_ / "other.gguf").find("-00002-of-00003.gguf"), std::string::npos);
  fs::rename(folder_ / "other.gguf", path(2));
  fs::copy(path(3), path(2), fs::copy_options::overwrite_existing);
  EXPECT_NE(error_of(path(1)).find("says it is shard 3 of 3, expected 2 of 3"), std::string::npos) << error_of(path(1));
}

TEST_F(Shards, tensors_are_counted_and_unique_over_all_shards) {
  write_all();
  ASSERT_TRUE(shard(0, 3, 4).write(path(1)));
  EXPECT_NE(error_of(path(1)).find("'split.tensors.count': found 4, but the shards hold 3"), std::string::npos);
  GgufWriter again = shard(1, 3);
  again.add_tensor("t0", TensorType::kF32, {1}, std::vector<std::byte>(4));
  ASSERT_TRUE(again.write(path(2)));
  EXPECT_NE(error_of(path(1)).find("'t0' is in two shards"), std::string::npos);
}

TEST_F(Shards, a_folder_must_hold_exactly_one_model) {
  EXPECT_NE(error_of(folder_).find("no .gguf file"), std::string::npos);
  std::ofstream(folder_ / "model.safetensors") << "x";
  EXPECT_NE(error_of(folder_).find("only safetensors"), std::string::npos);
  GgufWriter one;
  one.add_tensor("x", TensorType::kF32, {1}, std::vector<std::byte>(4));
  ASSERT_TRUE(one.write(folder_ / "one.gguf"));
  ASSERT_TRUE(one.write(folder_ / "mmproj-f16.gguf"));
  EXPECT_EQ(error_of(folder_), "");
  ASSERT_TRUE(one.write(folder_ / "two.gguf"));
  EXPECT_NE(error_of(folder_).find("2 models in this folder (one.gguf, two.gguf)"), std::string::npos);
}

TEST_F(Shards, errors_start_with_the_file) {
  std::ofstream(folder_ / "page.gguf") << "<!DOCTYPE html>";
  EXPECT_EQ(error_of(folder_ / "page.gguf").find((folder_ / "page.gguf").string()), 0U);
  EXPECT_EQ(open_model(folder_ / "absent.gguf").error().code, ErrorCode::kNotFound);
}

TEST(ShardName, only_the_full_pattern_counts) {
  const auto name = parse_shard_name("/x/m-q4-00002-of-00010.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->base, "m-q4");
  EXPECT_EQ(name->number, 2U);
  EXPECT_EQ(name->shard(10), "m-q4-00010-of-00010.gguf");
  for (const char* other :
       {"m.gguf", "-00001-of-00002.gguf", "m-00003-of-00002.gguf", "m-00000-of-00002.gguf", "m-0001-of-00002.gguf",
        "m-00001-of-00002.bin", "m-+0001-of-00002.gguf", "m-00001-of-0000x.gguf"}) {
    EXPECT_FALSE(parse_shard_name(other)) << other;
  }
}

}  // namespace
}  // namespace reckon::formats
