#include "chat/tool_call_parser.h"

#include <gtest/gtest.h>

#include "chat/tool_prompt.h"

namespace reckon::chat {
namespace {

// All at once, and byte by byte: both must give the same.
std::string parsed(std::string_view text) {
  std::string shown;
  for (const std::size_t step : {text.size(), std::size_t{1}}) {
    ToolCallParser parser;
    std::string content;
    std::string calls;
    const auto take = [&](const ToolCallParser::Delta& delta) {
      content += delta.content;
      for (const ToolCall& call : delta.calls) calls += "|" + call.name + call.arguments;
    };
    for (std::size_t at = 0; at < text.size(); at += step) take(parser.push(text.substr(at, step)));
    take(parser.finish());
    if (!shown.empty()) EXPECT_EQ(shown, content + calls) << "cut into bytes";
    shown = content + calls;
  }
  return shown;
}

TEST(ToolCallParser, TakesCallsOutOfTheText) {
  EXPECT_EQ(parsed("Let me see.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>"),
            "Let me see.\n|f{\"a\":1}");
  EXPECT_EQ(
      parsed("<tool_call>{\"name\":\"f\"}</tool_call>\n<tool_call>{\"name\":\"g\",\"arguments\":\"{\\\"b\\\":2}\"}"
             "</tool_call>\n"),
      "|f{}|g{\"b\":2}");
}

TEST(ToolCallParser, ReadsTheFormOfR1) {
  EXPECT_EQ(parsed("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": "
                   "\"杭州\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```"
                   "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
            "|get_weather{\"city\":\"杭州\"}|now{}");
}

TEST(ToolCallParser, ACallMayEndWithTheTurn) {
  EXPECT_EQ(parsed("<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n"), "|f{}");
}

TEST(ToolCallParser, WhatIsNoCallStaysContent) {
  for (const char* text : {"a < b <tool", "<tool_call>not json</tool_call> so", "<tool_call>{\"name\": 5}</tool_call>",
                           "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>", "<tool_call>",
                           "</tool_call>", "<｜tool▁call▁begin｜>x<｜tool▁call▁end｜>"}) {
    EXPECT_EQ(parsed(text), text);
  }
}

TEST(ToolPrompt, ATemplateWithoutToolsGetsThemInTheSystemMessage) {
  const auto plain =
      ChatTemplate::create("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}", nullptr);
  const auto with_tools = ChatTemplate::create("{{ tools | tojson }}", nullptr);
  ASSERT_TRUE(plain && with_tools);
  EXPECT_FALSE(find_tool_support(**plain).in_template);
  EXPECT_TRUE(find_tool_support(**with_tools).in_template);
  std::vector<Message> messages(1);
  messages[0].role = "user";
  describe_tools(messages, "[TOOLS]", ToolForm::kHermes);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].role, "system");
  EXPECT_NE(messages[0].content.find("[TOOLS]"), std::string::npos);
  describe_tools(messages, "[MORE]", ToolForm::kR1);
  EXPECT_EQ(messages.size(), 2U);
  EXPECT_NE(messages[0].content.find("<｜tool▁sep｜>"), std::string::npos);
}

}  // namespace
}  // namespace reckon::chat
