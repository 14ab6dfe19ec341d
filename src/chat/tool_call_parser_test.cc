#include <gtest/gtest.h>

#include "reckon/chat.h"

namespace reckon {
namespace {

// "content[f({...})]": what came of a stream that was cut into pieces of n bytes.
std::string parse(std::string_view text, std::size_t n_bytes) {
  ToolCallParser parser({"get_weather", "add"});
  std::string shown;
  const auto show = [&shown](const ToolCallParser::Delta& delta) {
    shown += delta.content;
    for (const ToolCall& call : delta.calls) shown += "[" + call.name + call.arguments + "]";
  };
  for (std::size_t i = 0; i < text.size(); i += n_bytes) show(parser.push(text.substr(i, n_bytes)));
  show(parser.finish());
  return shown;
}

struct Case {
  std::string_view name;
  std::string_view text;
  std::string_view shown;
};

constexpr std::string_view kR1 =
    "Let me look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
    "{\"city\": \"北京\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{\"a\": "
    "1}\n"
    "```<｜tool▁call▁end｜><｜tool▁calls▁end｜>";

const Case kCases[] = {
    {"plain text", "2 < 3 and {1}", "2 < 3 and {1}"},
    {"qwen", "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>", "[add{\"a\":1}]"},
    {"text and two calls",
     "Sure.\n<tool_call>{\"name\":\"add\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"get_weather\","
     "\"arguments\":{\"city\":\"x\"}}</tool_call>\n",
     "Sure.\n[add{}][get_weather{\"city\":\"x\"}]"},
    {"r1", kR1, "Let me look.[get_weather{\"city\":\"北京\"}][add{\"a\":1}]"},
    {"llama", "\n{\"name\": \"add\", \"parameters\": {\"a\": 2}}", "[add{\"a\":2}]"},
    {"an array of calls", "[{\"name\":\"add\",\"arguments\":{}},{\"name\":\"add\",\"arguments\":{\"a\":1}}]",
     "[add{}][add{\"a\":1}]"},
    {"arguments as text", "<tool_call>{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}</tool_call>",
     "[add{\"a\":1}]"},
    {"json that is no call", "{\"usd\": 5}", "{\"usd\": 5}"},
    {"an unknown tool", "<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>",
     "<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>"},
    {"broken json", "a <tool_call>{\"name\": add}</tool_call> b", "a <tool_call>{\"name\": add}</tool_call> b"},
    {"a call without its end", "<tool_call>{\"name\":\"add\",\"arguments\":{}}", "[add{}]"},
    {"cut off in a call", "x <tool_call>{\"name\":\"add\",\"argum", "x <tool_call>{\"name\":\"add\",\"argum"},
    {"the start of a mark", "a <tool_", "a <tool_"},
    {"nothing", "", ""},
};

TEST(ToolCallParser, finds_calls_wherever_the_stream_is_cut) {
  for (const Case& test : kCases) {
    for (std::size_t n = 1; n <= test.text.size() + 1; ++n) {
      EXPECT_EQ(parse(test.text, n), test.shown) << test.name << " in pieces of " << n;
    }
  }
}

TEST(ToolCallParser, text_before_a_call_does_not_wait_for_it) {
  ToolCallParser parser({"add"});
  EXPECT_EQ(parser.push("One moment.").content, "One moment.");
  EXPECT_EQ(parser.push(" <tool_call>{\"na").content, " ");
  EXPECT_TRUE(parser.push("me\":\"add\",\"arguments\":{}}").calls.empty());
  ASSERT_EQ(parser.push("</tool_call>").calls.size(), 1U);
}

}  // namespace
}  // namespace reckon
