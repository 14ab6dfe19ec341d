// Tools, constrained output, limits of time, progress and the next turn: what reaches the engine and what comes back.

#include "server/next_turn.h"
#include "server/openai/tool_fields.h"
#include "server/service_fixture.h"

namespace reckon::server {
namespace {

constexpr const char* kTools =
    R"(, "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}}, "required": ["city"]}}}])";

class ToolsTest : public ServiceTest {
 protected:
  std::string prompt() const { return engine_->tokenizer().decode(engine_->last.prompt); }
};

TEST_F(ToolsTest, ACallComesBackAsToolCalls) {
  engine_->script = {
      .pieces = {"<tool_call>{\"name\": \"get_weather\", ", "\"arguments\": {\"city\": \"Oslo\"}}</tool_call>"},
      .error = {}};
  const text::Json body = chat_json(kTools);
  EXPECT_EQ(text_at(body, "choices.0.message.content"), "null");
  EXPECT_EQ(text_at(body, "choices.0.message.tool_calls.0.function.name"), "get_weather");
  EXPECT_EQ(text_at(body, "choices.0.message.tool_calls.0.function.arguments"), R"({"city":"Oslo"})");
  EXPECT_EQ(text_at(body, "choices.0.finish_reason"), "tool_calls");
  EXPECT_TRUE(text_at(body, "choices.0.message.tool_calls.0.id").starts_with("call_"));
  EXPECT_NE(prompt().find("get_weather"), std::string::npos) << "the template has no tools";
}

TEST_F(ToolsTest, CallsAreStreamedWhole) {
  engine_->script = {
      .pieces = {"Hm. ", "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"A\"}}</tool_call>",
                 "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"B\"}}</tool_call>"},
      .error = {}};
  const auto events = events_of(chat(std::string(kTools) + R"(, "stream": true)")->wait().body);
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(text_at(json_of(events[1]), "choices.0.delta.content"), "Hm. ");
  EXPECT_EQ(text_at(json_of(events[2]), "choices.0.delta.tool_calls.0.function.arguments"), R"({"city":"A"})");
  EXPECT_EQ(text_at(json_of(events[3]), "choices.0.delta.tool_calls.0.index"), "1");
  EXPECT_EQ(text_at(json_of(events[4]), "choices.0.finish_reason"), "tool_calls");
}

TEST_F(ToolsTest, ARequiredCallIsHeldToItsSignature) {
  engine_->script = {.pieces = {"{\"name\": \"get_weather\", \"arguments\": {\"city\": ", "\"Oslo\"}}"}, .error = {}};
  const text::Json body = chat_json(std::string(kTools) + R"(, "tool_choice": "required")");
  EXPECT_EQ(text_at(body, "choices.0.message.tool_calls.0.function.arguments"), R"({"city":"Oslo"})");
  EXPECT_NE(engine_->last.grammar, nullptr);
  chat(std::string(kTools) + R"(, "tool_choice": {"type": "function", "function": {"name": "get_weather"}})")->wait();
  EXPECT_NE(engine_->last.grammar, nullptr);
  chat(std::string(kTools) + R"(, "tool_choice": "none")")->wait();
  EXPECT_EQ(engine_->last.grammar, nullptr);
  EXPECT_EQ(prompt().find("get_weather"), std::string::npos);
}

TEST_F(ToolsTest, WrongToolsAreRefused) {
  for (const char* more :
       {R"("tools": "x")", R"("tools": {})", R"("tools": [1])", R"("tools": [{}])",
        R"("tools": [{"type": "function"}])", R"("tools": [{"type": "function", "function": {"name": 5}}])",
        R"("tools": [{"type": "function", "function": {"name": "../x"}}])",
        R"("tools": [{"type": "function", "function": {"name": "f", "parameters": 5}}])", R"("tool_choice": [5])",
        R"("tool_choice": "required")", R"("tool_choice": {"type": "function", "function": {"name": "nosuch"}})"}) {
    EXPECT_EQ(chat(std::string(", ") + more)->wait().status, 400) << more;
  }
  EXPECT_EQ(engine_->n_submitted, 0);
}

TEST_F(ToolsTest, FormsOfTheAnswerBecomeGrammars) {
  for (const char* more :
       {R"("response_format": {"type": "json_object"})", R"("grammar": "root ::= \"a\"")",
        R"("response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}})"}) {
    EXPECT_EQ(chat(std::string(", ") + more)->wait().status, 200) << more;
    EXPECT_NE(engine_->last.grammar, nullptr) << more;
  }
  const auto first = engine_->last.grammar;
  chat(R"(, "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}})")->wait();
  EXPECT_EQ(engine_->last.grammar, first) << "the same schema is compiled once";
  chat(R"(, "response_format": {"type": "text"})")->wait();
  EXPECT_EQ(engine_->last.grammar, nullptr);
  for (const char* more :
       {R"("grammar": "root ::= (")",
        R"("response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "nosuch"}}})"}) {
    EXPECT_EQ(chat(std::string(", ") + more)->wait().status, 400) << more;
  }
}

TEST_F(ToolsTest, ATimeLimitBeforeTheFirstTokenIsAnError) {
  engine_->script = {.pieces = {}, .finish = Finish::kTimeout, .error = {}, .time_limit = TimeLimit::kQueue};
  EXPECT_EQ(chat()->wait().status, 504);
  engine_->script = {.pieces = {"a"}, .finish = Finish::kTimeout, .error = {}, .time_limit = TimeLimit::kTotal};
  const text::Json body = chat_json();
  EXPECT_EQ(text_at(body, "choices.0.message.content"), "a");
  EXPECT_EQ(text_at(body, "choices.0.finish_reason"), "length");
  EXPECT_EQ(text_at(body, "choices.0.finish_detail"), "timeout");
}

TEST_F(ToolsTest, ThePlaceInTheQueueAndTheProgressOfThePromptAreToldWhereAskedFor) {
  engine_->script = {.pieces = {"a"}, .error = {}};
  const auto events = events_of(chat(R"(, "stream": true, "return_progress": true)")->wait().body);
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(text_at(json_of(events[1]), "queue.place"), "0");
  EXPECT_EQ(text_at(json_of(events[2]), "prompt_progress.processed"), "9");
  for (const std::size_t i : {1UZ, 2UZ}) EXPECT_EQ(text_at(json_of(events[i]), "choices"), "[]");
  const std::string silent = chat(R"(, "stream": true)")->wait().body;
  EXPECT_EQ(silent.find("\"queue\""), std::string::npos);
  EXPECT_EQ(silent.find("prompt_progress"), std::string::npos);
}

TEST_F(ToolsTest, PromptLogprobsComeWithEcho) {
  engine_->script = {.pieces = {}, .finish = Finish::kLength, .error = {}};
  const text::Json body = json_of(
      post("/v1/completions", R"({"prompt": "abc", "echo": true, "logprobs": 0, "max_tokens": 0})")->wait().body);
  EXPECT_EQ(text_at(body, "choices.0.logprobs.tokens"), R"(["a","b","c"])");
  EXPECT_EQ(text_at(body, "choices.0.logprobs.token_logprobs"), "[null,-1.5,-1.5]");
  EXPECT_EQ(text_at(body, "choices.0.text"), "abc");
}

TEST_F(ToolsTest, TheNextTurnIsPreparedWhileNothingElseIsToDo) {
  ASSERT_TRUE(service_.warm_up());
  engine_->script = {.pieces = {"yes"}, .error = {}};
  chat()->wait();
  const Request idle = engine_->wait_for_idle();
  EXPECT_EQ(engine_->tokenizer().decode(idle.prompt), "user: hi\nassistant: yes\nuser: ");
  EXPECT_EQ(idle.max_new_tokens, 0);
  EXPECT_EQ(idle.client, "tester");
}

}  // namespace
}  // namespace reckon::server
