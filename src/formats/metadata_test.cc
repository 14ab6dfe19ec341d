#include "formats/metadata.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/gguf_writer.h"
#include "formats/quote.h"
#include "formats/tensor_file.h"

namespace reckon::formats {
namespace {

std::unique_ptr<TensorFile> open(const GgufWriter& writer) { return open_model_bytes(writer.finish().value()).value(); }

TEST(Metadata, getters_tell_absent_from_wrong) {
  GgufWriter w;
  w.set_string("text", "x");
  w.set_int32("minus", -2);
  w.set_uint64("big", 1ULL << 40);
  w.set_bool("flag", true);
  w.set_float("real", 0.5F);
  const auto file = open(w);
  EXPECT_TRUE(file->has("text"));
  EXPECT_FALSE(file->has("nothing"));
  EXPECT_FALSE(file->get_uint("nothing").value().has_value());
  EXPECT_EQ(*file->get_uint("big").value(), 1ULL << 40);
  EXPECT_EQ(*file->get_float("real").value(), 0.5);
  EXPECT_TRUE(*file->get_bool("flag").value());
  EXPECT_EQ(*file->get_string("text").value(), "x");
  EXPECT_EQ(file->get_uint("minus").error().message, "the model: key 'minus': found -2, expected zero or more");
  for (const char* key : {"text", "flag", "real"}) EXPECT_FALSE(file->get_uint(key)) << key;
  for (const char* key : {"text", "flag", "big"}) EXPECT_FALSE(file->get_float(key)) << key;
  for (const char* key : {"text", "real", "big"}) EXPECT_FALSE(file->get_bool(key)) << key;
  for (const char* key : {"flag", "real", "big"}) EXPECT_FALSE(file->get_string(key)) << key;
  EXPECT_FALSE(file->get_strings("text"));
  EXPECT_FALSE(file->get_ints("big"));
}

TEST(Metadata, lists_keep_their_element_type) {
  GgufWriter w;
  const std::vector<std::string> texts{"a", "", std::string("\0\xff", 2)};
  const std::vector<std::int32_t> numbers{1, -2, 3};
  const std::vector<float> reals{0.25F, -1};
  w.set_strings("texts", texts);
  w.set_int32s("numbers", numbers);
  w.set_floats("reals", reals);
  const std::byte narrow[2] = {std::byte{1}, std::byte{2}};
  w.set_raw("narrow", Value{.type = ValueType::kUint8, .is_array = true, .count = 2, .bytes = narrow});
  const auto file = open(w);
  const auto got = *file->get_strings("texts").value();
  EXPECT_TRUE(std::ranges::equal(got, texts));
  EXPECT_EQ(*file->get_ints("numbers").value(), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_EQ(*file->get_floats("reals").value(), reals);
  EXPECT_FALSE(file->get_ints("reals"));
  EXPECT_FALSE(file->get_ints("texts"));
  EXPECT_FALSE(file->get_strings("numbers"));
  EXPECT_FALSE(file->get_floats("numbers"));
  EXPECT_EQ(file->get_ints("narrow").error().message,
            "the model: key 'narrow': found a list whose items are an 8-bit whole number, expected a list of 32-bit "
            "whole numbers; the file was not converted properly");
}

TEST(Metadata, truth_is_zero_or_one) {
  GgufWriter w;
  const std::byte two{2};
  w.set_raw("flag", Value{.type = ValueType::kBool, .bytes = {&two, 1}});
  EXPECT_FALSE(open_model_bytes(w.finish().value()));
}

TEST(Metadata, description_is_safe_to_print) {
  GgufWriter w;
  w.set_string("general.name", "\x1b]0;owned\x07 \xe4\xb8\xad\n\xff%s");
  w.set_uint32("n", 5);
  const std::vector<std::string> texts{"a", "b"};
  w.set_strings("texts", texts);
  const auto lines = open(w)->describe();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].second, "\\x1b]0;owned\\x07 \xe4\xb8\xad\\x0a\\xff%s");
  EXPECT_EQ(lines[1], (std::pair<std::string, std::string>("n", "5")));
  EXPECT_EQ(lines[2].second, "2 items, each text");
}

TEST(Quote, cuts_long_text_at_a_character) {
  EXPECT_EQ(printable("abcdef", 4), "abcd...");
  EXPECT_EQ(printable("\xe4\xb8\xad\xe4\xb8\xad", 4), "\xe4\xb8\xad...");
  EXPECT_EQ(printable("\xed\xa0\x80", 80), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xe2\x80\xae", 80), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xc0\xaf\xf4\x90\x80\x80", 80), "\\xc0\\xaf\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(quote("a'b"), "'a'b'");
}

}  // namespace
}  // namespace reckon::formats
