#include "tokenizer/nfc.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "text/utf8.h"

namespace reckon::tokenizer {
namespace {

std::string library_nfc(const std::string& text) {
  utf8proc_uint8_t* out = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
  std::string result(reinterpret_cast<const char*>(out));
  std::free(out);
  return result;
}

TEST(Nfc, composes_and_orders_marks) {
  EXPECT_EQ(to_nfc("e\u0301"), "\u00E9");
  EXPECT_EQ(to_nfc("a\u0316\u0301"), "\u00E1\u0316");
  EXPECT_EQ(to_nfc("a\u0301\u0316"), "\u00E1\u0316");
  EXPECT_EQ(to_nfc("\u1112\u1161\u11AB"), "\uD55C");
  EXPECT_EQ(to_nfc("\u212B \u2126"), "\u00C5 \u03A9");
  EXPECT_EQ(to_nfc("\u0958"), "\u0915\u093C");  // a composition exclusion
  EXPECT_EQ(to_nfc("\uFB01"), "\uFB01");        // compatibility forms stay
}

TEST(Nfc, equals_the_library_on_every_character_in_company) {
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    if (c == 0x32000) c = 0xE0000;  // planes without characters
    if (c == 0xE1000) break;
    std::string text = "a";
    text::append_utf8(text, c);
    text += "\u0301\u0316";
    text::append_utf8(text, c);
    text += "\u3099.";
    text::append_utf8(text, c);
    const std::string expected = library_nfc(text);
    ASSERT_EQ(to_nfc(text), expected) << std::hex << static_cast<std::uint32_t>(c);
    if (!may_need_nfc(text)) {
      ASSERT_EQ(text, expected);
    }
  }
}

TEST(Nfc, text_that_needs_nothing_is_recognised) {
  EXPECT_FALSE(may_need_nfc("The quick brown fox\n"));
  EXPECT_FALSE(may_need_nfc("caf\u00E9 \u597D\u4F60\u3002\U0001F600"));
  EXPECT_TRUE(may_need_nfc("e\u0301"));
  EXPECT_TRUE(may_need_nfc("\u1112\u1161"));
}

TEST(Nfc, invalid_bytes_stay_and_separate) {
  EXPECT_EQ(to_nfc("e\xFF\u0301"), "e\xFF\u0301");
  EXPECT_EQ(to_nfc("\xE4\xBD"
                   "e\u0301\xC3"),
            "\xE4\xBD\u00E9\xC3");
}

TEST(Nfc, long_runs_of_unordered_marks_take_no_quadratic_time) {
  const auto seconds = [](int n) {
    std::string text = "e";
    for (int i = 0; i < n; ++i) text += "\u0301\u0316";
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(to_nfc(text).size(), text.size() - 1);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  // Eight times the marks: n log n takes about nine times as long, an insertion sort sixty-four times.
  EXPECT_LT(seconds(16'000), 30 * seconds(2'000));
}

}  // namespace
}  // namespace reckon::tokenizer
