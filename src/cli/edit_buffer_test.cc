#include "cli/edit_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/chat_input.h"
#include "cli/line_editor.h"

namespace reckon::cli {
namespace {

// Feeds the bytes of a terminal to a buffer.
EditBuffer typed(std::string_view bytes) {
  EditBuffer buffer;
  KeyDecoder keys;
  for (const char c : bytes) {
    if (const auto key = keys.push(static_cast<unsigned char>(c))) buffer.apply(*key);
  }
  return buffer;
}

std::vector<KeyType> key_types(std::string_view bytes) {
  std::vector<KeyType> types;
  KeyDecoder keys;
  for (const char c : bytes) {
    if (const auto key = keys.push(static_cast<unsigned char>(c))) types.push_back(key->type);
  }
  return types;
}

constexpr auto kLeft = "\x1b[D";
constexpr auto kBackspace = "\x7f";

TEST(EditBuffer, BackspaceTakesAWholeWideCharacter) {
  EXPECT_EQ(typed(std::string("你好") + kBackspace).text(), "你");
  EXPECT_EQ(typed(std::string("ae\u0301") + kBackspace).text(), "a");
  EXPECT_EQ(typed(std::string("a👨‍👩‍👧") + kBackspace).text(), "a");
  EXPECT_EQ(typed(kBackspace).text(), "");
}

TEST(EditBuffer, MovesByCharactersAndInsertsInBetween) {
  EXPECT_EQ(typed(std::string("你好") + kLeft + "们").text(), "你们好");
  EXPECT_EQ(typed(std::string("你好") + kLeft + kLeft + kLeft + "x").text(), "x你好");
  EXPECT_EQ(typed(std::string("你好") + kLeft + "\x1b[3~").text(), "你");
  EXPECT_EQ(typed("abc\x01x\x05y").text(), "xabcy");
}

TEST(EditBuffer, ErasesWordsAndEnds) {
  EXPECT_EQ(typed("one two\x17").text(), "one ");
  EXPECT_EQ(typed("one two\x15").text(), "");
  EXPECT_EQ(typed("one two\x1b"
                  "b\x0b")
                .text(),
            "one ");
  EXPECT_EQ(typed("one two\x1b[1;5D\x1b[1;5Dx").text(), "xone two");
}

TEST(EditBuffer, HomeAndEndStayInTheirRow) {
  EXPECT_EQ(typed("ab\x1b\rcd\x01x").text(), "ab\nxcd");
  EXPECT_EQ(typed("ab\x1b\rcd\x15").text(), "ab\n");
}

TEST(KeyDecoder, PutsCharactersTogetherAndSurvivesBrokenOnes) {
  EXPECT_EQ(typed("\xE4\xBD"
                  "a")
                .text(),
            "a");  // broken off
  EXPECT_EQ(typed("\x80\xFF"
                  "a")
                .text(),
            "a");
  EXPECT_EQ(key_types("\x03\x04\r\x1b[A\x1bOB"),
            (std::vector{KeyType::kInterrupt, KeyType::kEndOfInput, KeyType::kEnter, KeyType::kUp, KeyType::kDown}));
}

TEST(KeyDecoder, ALoneEscapeIsForgotten) {
  KeyDecoder keys;
  EXPECT_FALSE(keys.push(0x1b));
  EXPECT_TRUE(keys.is_pending());
  keys.timeout();
  EXPECT_FALSE(keys.is_pending());
  EXPECT_EQ(keys.push('[')->text, "[");
}

TEST(KeyDecoder, APasteIsOneTextWithItsLineBreaks) {
  KeyDecoder keys;
  std::optional<Key> last;
  for (const char c : std::string("\x1b[200~第一行\r\nb\x1b[Ac\x03\x1b[201~")) {
    if (auto key = keys.push(static_cast<unsigned char>(c))) last = key;
  }
  ASSERT_TRUE(last);
  EXPECT_EQ(last->type, KeyType::kText);
  EXPECT_TRUE(last->pasted);
  EXPECT_EQ(last->text, "第一行\nb[Ac");
}

TEST(Layout, NeverSplitsAWideCharacter) {
  EditBuffer buffer;
  buffer.set("中文字");
  const Layout layout = lay_out("> ", ". ", buffer, 5);
  EXPECT_EQ(layout.rows, (std::vector<std::string>{"> 中", "文字"}));
  EXPECT_EQ(layout.cursor_row, 1);
  EXPECT_EQ(layout.cursor_column, 4);
}

TEST(Layout, ACursorBehindAFullRowStartsTheNext) {
  EditBuffer buffer;
  buffer.set("abcd");
  const Layout layout = lay_out("", "", buffer, 4);
  EXPECT_EQ(layout.rows, (std::vector<std::string>{"abcd", ""}));
  EXPECT_EQ(layout.cursor_row, 1);
  EXPECT_EQ(layout.cursor_column, 0);
}

TEST(Layout, IndentsRowsAfterALineBreak) {
  EditBuffer buffer;
  buffer.set("a\nb");
  const Layout layout = lay_out("> ", ". ", buffer, 20);
  EXPECT_EQ(layout.rows, (std::vector<std::string>{"> a", ". b"}));
  EXPECT_EQ(layout.cursor_column, 3);
}

TEST(EditorView, ReturnsToTheFirstRowBeforeItDrawsAgain) {
  EditorView view;
  EditBuffer buffer;
  buffer.set("abcdef");
  EXPECT_EQ(view.draw("", "", buffer, 4, 24, Style(false)), "\r\x1b[Jabcd\r\nef\r\x1b[2C");
  EXPECT_EQ(view.draw("", "", buffer, 4, 24, Style(false)).substr(0, 5), "\r\x1b[1A");
  EXPECT_EQ(view.leave(), "\r\n");
}

TEST(EditorView, ShowsNoMoreRowsThanTheScreenHas) {
  EditorView view;
  EditBuffer buffer;
  buffer.set(std::string(400, 'x'));
  const std::string drawn = view.draw("", "", buffer, 10, 5, Style(false));
  EXPECT_EQ(std::ranges::count(drawn, '\n'), 3);
}

TEST(MessageAssembler, JoinsLinesThatEndInABackslash) {
  MessageAssembler lines;
  EXPECT_FALSE(lines.push("one\\"));
  EXPECT_TRUE(lines.is_open());
  EXPECT_FALSE(lines.push("two\\"));
  EXPECT_EQ(lines.push("three"), "one\ntwo\nthree");
  EXPECT_FALSE(lines.is_open());
}

TEST(MessageAssembler, TakesABlockBetweenQuotes) {
  MessageAssembler lines;
  EXPECT_FALSE(lines.push("\"\"\"first"));
  EXPECT_FALSE(lines.push("second\\"));
  EXPECT_EQ(lines.push("third\"\"\""), "first\nsecond\\\nthird");
  EXPECT_FALSE(lines.push("\"\"\""));
  EXPECT_FALSE(lines.push("a"));
  EXPECT_EQ(lines.push("\"\"\""), "a");
  EXPECT_EQ(lines.push("\"\"\"all\"\"\""), "all");
}

}  // namespace
}  // namespace reckon::cli
