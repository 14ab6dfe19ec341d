#include "cli/display_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "cli/nearest.h"
#include "cli/progress.h"
#include "text/json_writer.h"

namespace reckon::cli {
namespace {

TEST(DisplayText, CountsColumnsAsATerminalShowsThem) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("中文"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);  // combining acute
  EXPECT_EQ(display_width("👍"), 2);
  EXPECT_EQ(display_width("ｱ"), 1);   // half-width kana
  EXPECT_EQ(display_width("，"), 2);  // full-width comma
  EXPECT_EQ(display_width(""), 0);
}

TEST(DisplayText, StepsOverWholeCharacters) {
  const std::string text = "a中e\u0301👨‍👩‍👧b";
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); at += cluster_size(text, at)) starts.push_back(at);
  EXPECT_EQ(starts.size(), 5u);
  std::size_t end = text.size();
  for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
    EXPECT_EQ(cluster_before(text, end), *start);
    end = *start;
  }
}

TEST(DisplayText, TakesInvalidBytesOneByOne) {
  const std::string text = "\xFF\xE4\xB8";
  EXPECT_EQ(cluster_size(text, 0), 1u);
  EXPECT_EQ(valid_utf8(text), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(display_width(text), 3);
}

TEST(DisplayText, PadsAndCutsByColumns) {
  EXPECT_EQ(pad_right("中", 4), "中  ");
  EXPECT_EQ(pad_left("中", 4), "  中");
  EXPECT_EQ(pad_right("long", 2), "long");
  EXPECT_EQ(cut_to_width("中文字", 5), "中文…");
  EXPECT_EQ(cut_to_width("中文字", 4), "中…");
  EXPECT_EQ(cut_to_width("abc", 3), "abc");
}

TEST(DisplayText, KeepsAModelFromSteeringTheTerminal) {
  EXPECT_EQ(without_controls("a\x1b]52;c;eA==\x07"
                             "b\n\tc"),
            "a\uFFFD]52;c;eA==\uFFFDb\n\tc");
  EXPECT_EQ(without_controls("\u009b31m"), "\uFFFD31m");  // C1 CSI in UTF-8
  EXPECT_EQ(without_controls("a\u202Eb"), "a\uFFFDb");    // right-to-left override
  EXPECT_EQ(one_line("a\nb\r\n"), "a b\uFFFD ");
}

TEST(JsonWriter, EscapesAndKeepsOrder) {
  text::JsonObject object;
  object.text("z", "a\"\\\n\x01中\xFF").number("n", 44.1234567).boolean("b", true).integer("i", std::int64_t{-7});
  object.number("nan", std::numeric_limits<double>::quiet_NaN()).raw("list", "[1]");
  EXPECT_EQ(object.str(),
            "{\"z\": \"a\\\"\\\\\\n\\u0001中\uFFFD\", \"n\": 44.123, \"b\": true, \"i\": -7, \"nan\": null, "
            "\"list\": [1]}");
}

TEST(Nearest, FindsTheFlagThatWasMeant) {
  const std::vector<std::string> names = {"--temp", "--top-p", "--threads", "--json", "--max-tokens"};
  EXPECT_EQ(nearest("--tmep", names), "--temp");
  EXPECT_EQ(nearest("--thread", names), "--threads");
  EXPECT_EQ(nearest("--max-token", names), "--max-tokens");
  EXPECT_EQ(nearest("--colour", names), "");
  EXPECT_EQ(nearest("", names), "");
}

TEST(Progress, SaysRateAndTimeLeft) {
  EXPECT_EQ(progress_text("B", 600'000'000, 1'200'000'000, 0.5), "600 MB / 1.20 GB  1.20 GB/s  0:01 left");
  EXPECT_EQ(progress_text("tokens", 50, 100, 10), "50 / 100 tokens  5 tokens/s  0:10 left");
  EXPECT_EQ(progress_text("B", 0, 100, 0), "0 B / 100 B");
  EXPECT_EQ(progress_text("tokens", 100, 100, 10), "100 / 100 tokens  10 tokens/s");
}

}  // namespace
}  // namespace reckon::cli
