#include "chat/tool_prompt.h"

#include <gtest/gtest.h>

namespace reckon::chat {
namespace {

TEST(ToolPrompt, ATemplateShowsToolsOrItDoesNot) {
  const auto plain =
      ChatTemplate::create("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}", nullptr);
  const auto with_tools = ChatTemplate::create("{{ tools | tojson }}", nullptr);
  const auto r1 = ChatTemplate::create(
      "{% for m in messages %}{% if m.tool_calls %}<｜tool▁call▁begin｜>{% endif %}{% endfor %}", nullptr);
  ASSERT_TRUE(plain && with_tools && r1);
  EXPECT_FALSE(find_tool_support(**plain).in_template);
  EXPECT_EQ(find_tool_support(**plain).form, ToolForm::kHermes);
  EXPECT_TRUE(find_tool_support(**with_tools).in_template);
  EXPECT_FALSE(find_tool_support(**r1).in_template);
  EXPECT_EQ(find_tool_support(**r1).form, ToolForm::kR1);
}

TEST(ToolPrompt, TheSystemMessageIsExtendedOrMade) {
  std::vector<Message> messages(1);
  messages[0].role = "user";
  describe_tools(messages, "[TOOLS]", ToolForm::kHermes);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].role, "system");
  EXPECT_NE(messages[0].content.find("[TOOLS]"), std::string::npos);
  describe_tools(messages, "[MORE]", ToolForm::kR1);
  EXPECT_EQ(messages.size(), 2U);
  EXPECT_NE(messages[0].content.find("[MORE]"), std::string::npos);
  EXPECT_NE(messages[0].content.find("<｜tool▁sep｜>"), std::string::npos);
}

}  // namespace
}  // namespace reckon::chat
