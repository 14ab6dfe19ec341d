#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reckon::text {
namespace {

using namespace std::string_literals;

TEST(Utf8, every_scalar_value_survives_a_round_trip) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, c);
    const Decoded d = decode_utf8(bytes, 0);
    ASSERT_TRUE(d.valid) << std::hex << static_cast<std::uint32_t>(c);
    ASSERT_EQ(d.code_point, c);
    ASSERT_EQ(d.length, bytes.size());
  }
}

TEST(Utf8, surrogates_overlong_forms_and_too_large_values_are_invalid) {
  for (const std::string& bytes : {"\xED\xA0\x80"s, "\xC0\x80"s, "\xE0\x80\x80"s, "\xF0\x80\x80\x80"s,
                                   "\xF4\x90\x80\x80"s, "\xFF"s, "\x80"s, "\xF8\x88\x80\x80\x80"s}) {
    EXPECT_FALSE(is_valid_utf8(bytes));
    EXPECT_FALSE(decode_utf8(bytes, 0).valid);
  }
  std::string out;
  append_utf8(out, 0xD800);
  append_utf8(out, 0x110000);
  EXPECT_EQ(out, "\uFFFD\uFFFD");
}

// The example of the Unicode Standard, section 3.9, tables 3-8 to 3-11.
TEST(Utf8, each_maximal_subpart_becomes_one_replacement) {
  const auto r = [](int n, const char* tail = "") {
    std::string s;
    for (int i = 0; i < n; ++i) s += "\uFFFD";
    return s + tail;
  };
  EXPECT_EQ(repair_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r(8, "A"));
  EXPECT_EQ(repair_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r(8, "A"));
  EXPECT_EQ(repair_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r(5,
                                                                   "A\uFFFD\uFFFD"
                                                                   "B"));
  EXPECT_EQ(repair_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r(4, "A"));
  EXPECT_EQ(repair_utf8("a\xF0\x9F\x98"), "a\uFFFD");
}

TEST(Utf8, the_unfinished_tail_is_only_what_could_still_become_a_character) {
  EXPECT_EQ(unfinished_utf8_tail(""), 0u);
  EXPECT_EQ(unfinished_utf8_tail("abc"), 0u);
  EXPECT_EQ(unfinished_utf8_tail("a\xF0"), 1u);
  EXPECT_EQ(unfinished_utf8_tail("a\xF0\x9F"), 2u);
  EXPECT_EQ(unfinished_utf8_tail("\xF0\x9F\x98"), 3u);
  EXPECT_EQ(unfinished_utf8_tail("\xF0\x9F\x98\x80"), 0u);
  EXPECT_EQ(unfinished_utf8_tail("\xE0\x80"), 0u);  // overlong: lost already
  EXPECT_EQ(unfinished_utf8_tail("\xED\xA0"), 0u);  // a surrogate
  EXPECT_EQ(unfinished_utf8_tail("\x80\x80"), 0u);
  EXPECT_EQ(unfinished_utf8_tail("\xF0\x9F\xE2"), 1u);  // the first two are lost
  EXPECT_EQ(unfinished_utf8_tail("\xC3\xA9\xC3"), 1u);
}

}  // namespace
}  // namespace reckon::text
