#include "formats/gguf.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>

#include "formats/gguf_writer.h"
#include "formats/tensor_file.h"

namespace reckon::formats {
namespace {

using Bytes = std::vector<std::byte>;

Bytes zeros(std::size_t n) { return Bytes(n); }

GgufWriter small_writer() {
  GgufWriter w;
  w.set_string("general.name", "small");
  w.set_uint32("a.count", 7);
  w.add_tensor("first", TensorType::kF32, {4, 2}, zeros(32));
  w.add_tensor("second", TensorType::kQ8_0, {32}, zeros(34));
  return w;
}

Bytes small_file() { return small_writer().finish().value(); }

// Replaces `from` in the file, wherever it is found first.
Bytes patched(Bytes bytes, std::string_view from, std::string_view to) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  const auto raw = std::as_bytes(std::span(text));
  return Bytes(raw.begin(), raw.end());
}

template <class T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The message that a damaged file gets; empty where it is accepted.
std::string message(const Bytes& bytes) {
  const auto contents = parse_gguf(bytes);
  return contents ? "" : contents.error().message;
}

std::string message(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return message(Bytes(bytes.begin(), bytes.end()));
}

void expect_says(const std::string& found, std::string_view part) {
  EXPECT_NE(found.find(part), std::string::npos) << "found: " << found;
  EXPECT_EQ(found.find('\n'), std::string::npos) << found;
}

TEST(Gguf, a_written_file_is_read_back) {
  const Bytes bytes = small_file();
  const auto contents = parse_gguf(bytes);
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(contents->metadata.size(), 2U);
  EXPECT_EQ(*contents->metadata.get_uint("a.count").value(), 7U);
  ASSERT_EQ(contents->tensors.size(), 2U);
  EXPECT_EQ(contents->tensors[0].name, "first");
  EXPECT_EQ(contents->tensors[0].shape, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(contents->tensors[0].n_bytes, 32U);
  EXPECT_EQ(contents->tensors[1].type, TensorType::kQ8_0);
  EXPECT_EQ(contents->tensors[1].n_bytes, 34U);
  EXPECT_EQ(contents->tensors[1].offset, contents->tensors[0].offset + 32);
}

TEST(Gguf, version_2_has_the_same_layout) { EXPECT_EQ(message(patched(small_file(), raw(3), raw(2))), ""); }

TEST(Gguf, what_is_no_gguf_is_called_by_its_name) {
  expect_says(message(""), "empty");
  expect_says(message("<!DOCTYPE html><html>"), "web page");
  expect_says(message("\n  <HTML>"), "web page");
  expect_says(message("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull");
  expect_says(message("PK\3\4rest of it"), "zip archive");
  expect_says(message(std::string("\2\0\0\0\0\0\0\0{}", 10)), "safetensors");
  expect_says(message("tjgg\1\0\0\0"), "before GGUF");
  expect_says(message("{\"error\":\"Repository not found\"}"), "Repository not found");
  expect_says(message(std::string(100, '\0')), "unfinished download");
  expect_says(message("\x1b[2Jx"), "\\x1b[2J");
  expect_says(message("GGUF"), "4 bytes");
}

TEST(Gguf, other_versions_and_byte_orders_are_named) {
  expect_says(message(patched(small_file(), raw(3), raw(1))), "version 1 (2023) is too old");
  expect_says(message(patched(small_file(), raw(3), raw(4))), "version 4 is newer");
  expect_says(message(patched(small_file(), raw(3), raw(0))), "version 0 does not exist");
  expect_says(message(patched(small_file(), raw(3), raw(0x0300'0000))), "big endian");
  expect_says(message(patched(small_file(), raw(3), raw(-1))), "does not exist");
}

TEST(Gguf, counts_beyond_the_bytes_left_are_refused_before_they_are_used) {
  for (const std::uint64_t n : {3ULL, 65536ULL, 1ULL << 40, 1ULL << 63, ~0ULL}) {
    const std::string counts = raw(std::uint64_t{2}) + raw(std::uint64_t{2});
    EXPECT_NE(message(patched(small_file(), counts, raw(n) + raw(std::uint64_t{2}))), "") << n;
    EXPECT_NE(message(patched(small_file(), counts, raw(std::uint64_t{2}) + raw(n))), "") << n;
  }
  const std::string huge = message(std::string("GGUF\3\0\0\0", 8) + raw(std::uint64_t{0}) + raw(1ULL << 60));
  expect_says(huge, "claims 1152921504606846976 keys");
}

TEST(Gguf, a_file_cut_anywhere_is_refused) {
  const Bytes whole = small_file();
  const std::size_t needed = whole.size() - 30;  // 34 bytes of 64: the last padding may be absent
  for (std::size_t n = 0; n < needed; ++n) {
    EXPECT_NE(message(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))), "") << n;
  }
  EXPECT_EQ(message(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(needed))), "");
}

TEST(Gguf, a_cut_file_says_how_much_is_missing) {
  Bytes bytes = small_file();
  const std::size_t needed = bytes.size() - 30;
  bytes.resize(bytes.size() - 40);
  expect_says(message(bytes), "ends at " + std::to_string(bytes.size()) + " of " + std::to_string(needed) + " bytes");
  expect_says(message(bytes), "download it again");
}

TEST(Gguf, duplicates_are_refused) {
  GgufWriter keys = small_writer();
  keys.set_uint32("b.count", 7);
  expect_says(message(patched(keys.finish().value(), "b.count", "a.count")), "key 'a.count' is there twice");
  GgufWriter tensors = small_writer();
  tensors.add_tensor("thirds", TensorType::kF32, {4}, zeros(16));
  expect_says(message(patched(tensors.finish().value(), "thirds", "second")), "tensor 'second': found twice");
}

TEST(Gguf, lists_and_texts_may_not_claim_more_than_there_is) {
  GgufWriter w = small_writer();
  const std::vector<float> numbers{1, 2, 3};
  w.set_floats("list", numbers);
  const Bytes file = w.finish().value();
  const std::string header = raw(static_cast<std::uint32_t>(ValueType::kFloat32)) + raw(std::uint64_t{3});
  const auto with = [&](ValueType type, std::uint64_t n) {
    return message(patched(file, header, raw(static_cast<std::uint32_t>(type)) + raw(n)));
  };
  expect_says(with(ValueType::kFloat32, ~0ULL), "key 'list'");
  expect_says(with(ValueType::kUint64, 1ULL << 61), "more than the limit");
  expect_says(with(ValueType::kUint8, 1 << 20), "the file ends at byte");
  expect_says(with(ValueType::kArray, 1), "lists inside lists");
  expect_says(with(static_cast<ValueType>(13), 1), "value type 13 does not exist");
  const std::string name = raw(std::uint64_t{5}) + "small";
  expect_says(message(patched(file, name, raw(~0ULL) + "small")), "key 'general.name'");
  expect_says(message(patched(file, name, raw(std::uint64_t{1 << 20}) + "small")), "the file ends at byte");
}

TEST(Gguf, keys_and_names_are_plain) {
  expect_says(message(patched(small_file(), "a.count", "a.\x1b[2Jt")), "\\x1b[2J");
  expect_says(message(patched(small_file(), "a.count", std::string("a\0count", 7))), "not ASCII");
  expect_says(message(patched(small_file(), "second", std::string("sec\0nd", 6))), "zero byte");
  expect_says(message(patched(small_file(), raw(std::uint64_t{6}) + "second", raw(std::uint64_t{65}) + "second")),
              "65 bytes");
}

TEST(Gguf, alignment_is_a_power_of_two_of_the_right_type) {
  GgufWriter w = small_writer();
  w.set_uint32("general.alignment", 32);
  for (const std::uint32_t bad : {0U, 1U, 3U, 48U, 1U << 31}) {
    w.set_uint32("general.alignment", bad);
    expect_says(message(w.finish().value()), "key 'general.alignment'");
  }
  w.set_int32("general.alignment", 32);
  expect_says(message(w.finish().value()), "of another type");
  w.set_uint32("general.alignment", 4096);
  EXPECT_NE(message(w.finish().value()), "");
  GgufWriter wide(64);
  wide.add_tensor("x", TensorType::kF32, {1}, zeros(4));
  wide.add_tensor("y", TensorType::kF32, {1}, zeros(4));
  EXPECT_EQ(message(wide.finish().value()), "");
}

// Patches the description of tensor "first": rank 2, shape 4 x 2, type 0, offset 0.
std::string with_tensor(std::uint32_t rank, std::uint64_t n0, std::uint64_t n1, std::uint32_t type,
                        std::uint64_t offset) {
  const auto description = [](std::uint32_t r, std::uint64_t a, std::uint64_t b, std::uint32_t t, std::uint64_t o) {
    return "first" + raw(r) + raw(a) + raw(b) + raw(t) + raw(o);
  };
  return message(patched(small_file(), description(2, 4, 2, 0, 0), description(rank, n0, n1, type, offset)));
}

TEST(Gguf, shapes_cannot_wrap_or_leave_the_file) {
  EXPECT_EQ(with_tensor(2, 4, 2, 0, 0), "");
  expect_says(with_tensor(0, 4, 2, 0, 0), "0 dimensions");
  expect_says(with_tensor(5, 4, 2, 0, 0), "5 dimensions");
  expect_says(with_tensor(2, 0, 2, 0, 0), "dimension 0 is 0");
  expect_says(with_tensor(2, 4, 1ULL << 62, 0, 0), "dimension 1");
  expect_says(with_tensor(2, (1ULL << 31) - 1, (1ULL << 31) - 1, 0, 0), "2^40");
  expect_says(with_tensor(2, 4, 1 << 20, 0, 0), "tensor 'first'");  // its data would run over the second and the end
  expect_says(with_tensor(2, 4, 2, 0, 16), "alignment 32");
  expect_says(with_tensor(2, 4, 2, 0, 32), "overlaps");
  expect_says(with_tensor(2, 4, 2, 0, 1ULL << 40), "outside");
  expect_says(with_tensor(2, 4, 2, 0, ~0ULL - 31), "outside");
}

TEST(Gguf, types_are_looked_up_and_named) {
  expect_says(with_tensor(2, 4, 2, 99, 0), "type 99 does not exist");
  expect_says(with_tensor(2, 4, 2, 0xffff'ffff, 0), "does not exist");
  expect_says(with_tensor(2, 4, 2, 16, 0), "type IQ2_XXS cannot be run here");
  expect_says(with_tensor(2, 4, 2, 12, 0), "multiple of the 256 elements of a Q4_K block");
}

TEST(Gguf, the_writer_refuses_data_that_does_not_fit) {
  GgufWriter w = small_writer();
  w.add_tensor("third", TensorType::kF32, {4}, zeros(15));
  EXPECT_EQ(w.finish().error().message, "tensor 'third': found 15 bytes of data, expected 16");
  GgufWriter twice = small_writer();
  twice.add_tensor("first", TensorType::kF32, {1}, zeros(4));
  EXPECT_FALSE(twice.finish());
}

}  // namespace
}  // namespace reckon::formats
