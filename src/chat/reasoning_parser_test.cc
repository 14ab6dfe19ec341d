#include <gtest/gtest.h>

#include <random>

#include "reckon/chat.h"

namespace reckon {
namespace {

struct Parts {
  std::string reasoning;
  std::string content;
  bool operator==(const Parts&) const = default;
};

void PrintTo(const Parts& parts, std::ostream* out) { *out << "{" << parts.reasoning << "|" << parts.content << "}"; }

const ThoughtMarks kMarks{"<think>", "</think>"};

Parts parse(const std::vector<std::string>& pieces, bool starts_in_thought, const ThoughtMarks& marks = kMarks) {
  ReasoningParser parser(marks, starts_in_thought);
  Parts parts;
  const auto take = [&](const ReasoningParser::Delta& delta) {
    const auto starts_blank = [](const std::string& joined, const std::string& piece) {
      return joined.empty() && !piece.empty() && piece.find_first_not_of(" \t\r\n") == std::string::npos;
    };
    EXPECT_FALSE(starts_blank(parts.reasoning, delta.reasoning));
    EXPECT_FALSE(starts_blank(parts.content, delta.content));
    parts.reasoning += delta.reasoning;
    parts.content += delta.content;
  };
  for (const std::string& piece : pieces) take(parser.push(piece));
  take(parser.finish());
  return parts;
}

TEST(ReasoningParser, splits_a_primed_thought) {
  EXPECT_EQ(parse({"\nI add.\n</think>\n\nIt is 2."}, true), (Parts{"I add.\n", "It is 2."}));
}

TEST(ReasoningParser, opens_at_a_mark_at_the_very_start_only) {
  EXPECT_EQ(parse({"<think>\na</think>\n\nb"}, false), (Parts{"a", "b"}));
  EXPECT_EQ(parse({" \n<thi", "nk>a</think>b"}, false), (Parts{"a", "b"}));
  EXPECT_EQ(parse({"x <think>a</think>b"}, false), (Parts{"", "x <think>a</think>b"}));
  EXPECT_EQ(parse({"<thin"}, false), (Parts{"", "<thin"}));
}

TEST(ReasoningParser, takes_a_second_opening_mark_for_none) {
  EXPECT_EQ(parse({"<think>\na</think>b"}, true), (Parts{"a", "b"}));
}

TEST(ReasoningParser, keeps_a_thought_that_never_closes) {
  EXPECT_EQ(parse({"on and on </thi"}, true), (Parts{"on and on </thi", ""}));
  EXPECT_EQ(parse({"\n\n"}, true), (Parts{"", ""}));
}

TEST(ReasoningParser, passes_marks_outside_of_a_thought) {
  EXPECT_EQ(parse({"a</think>b</think><think>c"}, true), (Parts{"a", "b</think><think>c"}));
  EXPECT_EQ(parse({"</think>x"}, false), (Parts{"", "</think>x"}));
  EXPECT_EQ(parse({"</think>x"}, true), (Parts{"", "x"}));
}

TEST(ReasoningParser, drops_blank_lines_but_keeps_indentation) {
  EXPECT_EQ(parse({"a</think>\n\n    code"}, true), (Parts{"a", "    code"}));
  EXPECT_EQ(parse({"\n \n", "  b"}, false), (Parts{"", "  b"}));
}

TEST(ReasoningParser, without_marks_everything_is_content) {
  EXPECT_EQ(parse({"<think>a</think>"}, false, {}), (Parts{"", "<think>a</think>"}));
  EXPECT_EQ(parse({"a"}, true, {}), (Parts{"", "a"}));
}

TEST(ReasoningParser, tells_where_it_is) {
  ReasoningParser parser(kMarks, true);
  EXPECT_TRUE(parser.in_thought());
  (void)parser.push("a</think");
  EXPECT_TRUE(parser.in_thought());
  (void)parser.push(">");
  EXPECT_FALSE(parser.in_thought());
}

TEST(ReasoningParser, gives_the_same_for_any_cut_of_the_stream) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"<think>", "</think>", "\n",  " ",      "a", "<",
                                          "</",      "thi",      "nk>", "think>", "é", "\n\n"};
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = pick(10); n > 0; --n) text += words[pick(words.size())];
    const bool starts_in_thought = pick(2) == 0;
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t n = 1 + pick(5);
      pieces.push_back(text.substr(i, n));
      i += n;
    }
    ASSERT_EQ(parse(pieces, starts_in_thought), parse({text}, starts_in_thought)) << text;
  }
}

}  // namespace
}  // namespace reckon
