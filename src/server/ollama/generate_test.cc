#include "server/service_fixture.h"

namespace reckon::server {
namespace {

class OllamaTest : public ServiceTest {
 protected:
  using ServiceTest::ServiceTest;
  // A chat of one message with these further members.
  std::shared_ptr<FakeExchange> ask(std::string_view more = "") {
    return post("/api/chat",
                R"({"model": "Fake-1B", "messages": [{"role": "user", "content": "hi"}])" + std::string(more) + "}");
  }
  text::Json whole(std::string_view more = "") {
    return json_of(ask(R"(, "stream": false)" + std::string(more))->wait().body);
  }
  text::Json generated(std::string_view members) {
    return json_of(post("/api/generate", R"({"stream": false, )" + std::string(members) + "}")->wait().body);
  }
  std::string prompt() const { return engine_->tokenizer().decode(engine_->last.prompt); }
};

class OllamaThinkingTest : public OllamaTest {
 protected:
  OllamaThinkingTest() : OllamaTest({"<think>", "</think>"}, true) {
    engine_->script = {.pieces = {"\n", "I ", "think.", "\n</think>", "\n\n", "Yes"}, .error = {}, .n_thought = 4};
  }
};

std::vector<text::Json> lines_of(std::string_view body) {
  std::vector<text::Json> lines;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    EXPECT_NE(end, body.npos) << "each line ends";
    if (end == body.npos) break;
    lines.push_back(json_of(body.substr(0, end)));
    body.remove_prefix(end + 1);
  }
  return lines;
}

TEST_F(OllamaTest, AChatIsStreamedLineByLineUnlessToldOtherwise) {
  engine_->script = {.pieces = {"Hel", "lo"}, .error = {}};
  const auto exchange = ask();
  const http::Response response = exchange->wait();
  EXPECT_EQ(response.content_type, "application/x-ndjson");
  EXPECT_EQ(exchange->heartbeat(), " ") << "an empty line would be no JSON";
  const auto lines = lines_of(response.body);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(text_at(lines[0], "model"), "Fake-1B");
  EXPECT_EQ(text_at(lines[0], "message.role"), "assistant");
  EXPECT_EQ(text_at(lines[0], "message.content"), "Hel");
  EXPECT_EQ(text_at(lines[0], "done"), "false");
  EXPECT_EQ(text_at(lines[1], "message.content"), "lo");
  EXPECT_EQ(text_at(lines[2], "message.content"), "");
  EXPECT_EQ(text_at(lines[2], "done"), "true");
  EXPECT_EQ(text_at(lines[2], "done_reason"), "stop");
}

TEST_F(OllamaTest, TheEndTellsCountsAndNanoseconds) {
  engine_->script = {.pieces = {"a", "b"}, .finish = Finish::kLength, .error = {}};
  const text::Json body = whole();
  EXPECT_EQ(text_at(body, "message.content"), "ab");
  EXPECT_EQ(text_at(body, "done_reason"), "length");
  EXPECT_EQ(text_at(body, "prompt_eval_count"), "19");
  EXPECT_EQ(text_at(body, "prompt_eval_duration"), "5000000");
  EXPECT_EQ(text_at(body, "eval_count"), "2");
  EXPECT_EQ(text_at(body, "eval_duration"), "20000000");
  EXPECT_EQ(text_at(body, "load_duration"), "0");
  EXPECT_NE(text_at(body, "total_duration"), "-");
  const std::string created = text_at(body, "created_at");
  ASSERT_EQ(created.size(), 27U) << created;
  EXPECT_EQ(created[10], 'T');
  EXPECT_EQ(created.back(), 'Z');
}

TEST_F(OllamaThinkingTest, ThoughtComesApart) {
  const text::Json body = whole();
  EXPECT_EQ(text_at(body, "message.thinking"), "I think.\n");
  EXPECT_EQ(text_at(body, "message.content"), "Yes");
  const text::Json answer = generated(R"("prompt": "hi", "think": true)");
  EXPECT_EQ(text_at(answer, "thinking"), "I think.\n");
  EXPECT_EQ(text_at(answer, "response"), "Yes");
}

TEST_F(OllamaThinkingTest, ThinkIsASwitchOrALevel) {
  EXPECT_EQ(text_at(whole(R"(, "think": false)"), "message.thinking"), "-");
  whole(R"(, "think": "low")");
  EXPECT_EQ(engine_->last.thought.max_tokens.value_or(-1), 512);
  whole(R"(, "think": "high")");
  EXPECT_EQ(engine_->last.thought.max_tokens.value_or(-1), -1);
  for (const char* wrong : {R"("much")", "3", R"("none")"}) {
    EXPECT_EQ(ask(std::string(R"(, "think": )") + wrong)->wait().status, 400) << wrong;
  }
}

TEST_F(OllamaTest, AModelWithoutThoughtsCannotBeAskedToThink) {
  const http::Response response = ask(R"(, "think": true)")->wait();
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(text_at(json_of(response.body), "error").find("does not support thinking"), std::string::npos);
  EXPECT_EQ(ask(R"(, "think": false)")->wait().status, 200);
}

TEST_F(OllamaTest, OptionsReachTheEngine) {
  whole(R"(, "options": {"temperature": 0.5, "top_k": 7, "top_p": 0.25, "min_p": 0.125, "seed": 42, "num_predict": 9,
        "stop": ["x"], "repeat_penalty": 1.5, "presence_penalty": 0.5, "frequency_penalty": 0.25, "n": 3})");
  const Request& request = engine_->last;
  EXPECT_EQ(engine_->n_submitted, 1);
  EXPECT_EQ(request.sample.temperature, 0.5f);
  EXPECT_EQ(request.sample.top_k, 7);
  EXPECT_EQ(request.sample.top_p, 0.25f);
  EXPECT_EQ(request.sample.min_p, 0.125f);
  EXPECT_EQ(request.sample.seed, 42U);
  EXPECT_EQ(request.max_new_tokens, 9);
  EXPECT_EQ(request.stop, std::vector<std::string>{"x"});
  EXPECT_EQ(request.sample.repetition_penalty, 1.5f);
  EXPECT_EQ(request.sample.presence_penalty, 0.5f);
  EXPECT_EQ(request.sample.frequency_penalty, 0.25f);
  for (const char* all : {"-1", "-2"}) {
    whole(std::string(R"(, "options": {"num_predict": )") + all + "}");
    EXPECT_GT(engine_->last.max_new_tokens, 1'000'000);
  }
}

TEST_F(OllamaTest, WhatHasNoEffectIsWarnedOf) {
  const text::Json body = whole(R"(, "options": {"num_ctx": 4096, "mirostat": 2, "typical_p": 1, "nosuch": 1,
                                    "num_thread": 3}, "keep_alive": "5m")");
  EXPECT_NE(text_at(body, "warnings.0").find("options.num_ctx"), std::string::npos);
  EXPECT_NE(text_at(body, "warnings.1").find("options.mirostat"), std::string::npos);
  EXPECT_EQ(text_at(body, "warnings.2"), "options.nosuch: unknown, ignored");
  EXPECT_EQ(text_at(body, "warnings.3"), "-");
  EXPECT_EQ(text_at(whole(R"(, "options": {"num_ctx": 512})"), "warnings"), "-");
}

TEST_F(OllamaTest, ErrorsAreInOllamasForm) {
  for (const char* more : {R"(, "options": {"temperature": "hot"})", R"(, "format": "yaml")", R"(, "messages": 5)",
                           R"(, "format": {"type": "nosuch"})"}) {
    const http::Response response = ask(more)->wait();
    EXPECT_EQ(response.status, 400) << more;
    EXPECT_NE(at(json_of(response.body), "error")->as_string(), nullptr) << response.body;
  }
  const http::Response image =
      post("/api/chat", R"({"messages": [{"role": "user", "content": "?", "images": ["aGk="]}]})")->wait();
  EXPECT_EQ(image.status, 400);
  EXPECT_NE(image.body.find("images"), std::string::npos);
  EXPECT_EQ(text_at(json_of(post("/api/chat", "{")->wait().body), "error.message"), "-");
  EXPECT_EQ(engine_->n_submitted, 0);
}

TEST_F(OllamaTest, NamesComeWithOrWithoutATag) {
  for (const char* name : {"Fake-1B", "fake-1b:latest", "mine", "mine:latest", ""}) {
    const auto exchange = post("/api/generate", std::string(R"({"prompt": "a", "model": ")") + name + "\"}");
    EXPECT_EQ(exchange->wait().status, 200) << name;
  }
  for (const char* name : {"other", ":latest", "mine:7b"}) {
    const auto response = post("/api/generate", std::string(R"({"prompt": "a", "model": ")") + name + "\"}")->wait();
    EXPECT_EQ(response.status, 404) << name;
    EXPECT_TRUE(text_at(json_of(response.body), "error").starts_with("model \"" + std::string(name) + "\" not found"));
  }
}

TEST_F(OllamaTest, CallsHaveArgumentsAsObjects) {
  engine_->script = {
      .pieces = {"<tool_call>{\"name\": \"get_weather\", ", "\"arguments\": {\"city\": \"Oslo\"}}</tool_call>"},
      .error = {}};
  const std::string tools =
      R"(, "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}])";
  const text::Json body = whole(tools);
  EXPECT_EQ(text_at(body, "message.tool_calls.0.function.name"), "get_weather");
  EXPECT_EQ(text_at(body, "message.tool_calls.0.function.arguments.city"), "Oslo");
  EXPECT_EQ(text_at(body, "done_reason"), "stop");
  const auto lines = lines_of(ask(tools)->wait().body);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(text_at(lines[0], "message.tool_calls.0.function.arguments.city"), "Oslo");
}

TEST_F(OllamaTest, AConversationWithCallsIsRead) {
  const http::Response response = post("/api/chat", R"({"stream": false, "messages": [
      {"role": "user", "content": "weather?"},
      {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
          {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]},
      {"role": "tool", "tool_name": "get_weather", "content": "rain"}]})")
                                      ->wait();
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(text_at(json_of(response.body), "warnings"), "-");
  EXPECT_EQ(prompt(), "user: weather?\nassistant: \ntool: rain\nassistant:");
}

TEST_F(OllamaTest, FormatBecomesAGrammar) {
  whole(R"(, "format": "json")");
  EXPECT_NE(engine_->last.grammar, nullptr);
  whole(R"(, "format": {"type": "object", "properties": {"a": {"type": "integer"}}})");
  EXPECT_NE(engine_->last.grammar, nullptr);
  whole(R"(, "format": "")");
  EXPECT_EQ(engine_->last.grammar, nullptr);
}

TEST_F(OllamaTest, GenerateTakesSystemAndPrompt) {
  engine_->script = {.pieces = {"Yes"}, .error = {}};
  const text::Json body = generated(R"("prompt": "hi", "system": "be brief", "context": [1, 2])");
  EXPECT_EQ(text_at(body, "response"), "Yes");
  EXPECT_EQ(text_at(body, "message"), "-");
  EXPECT_EQ(prompt(), "system: be brief\nuser: hi\nassistant:");
  EXPECT_TRUE(text_at(body, "warnings.0").starts_with("context: "));
  generated(R"("prompt": "as it stands", "raw": true)");
  EXPECT_EQ(prompt(), "as it stands");
}

TEST_F(OllamaTest, WhatGenerateCannotDoIsRefused) {
  for (const char* member : {R"("suffix": "x")", R"("template": "x")", R"("images": ["aGk="])", R"("prompt": 5)"}) {
    const auto response = post("/api/generate", std::string(R"({"system": "x", )") + member + "}")->wait();
    EXPECT_EQ(response.status, 400) << member;
  }
  EXPECT_EQ(generated(R"("prompt": "a", "suffix": "", "template": "", "images": [])").find("error"), nullptr);
}

TEST_F(OllamaTest, WithoutAPromptTheModelIsThere) {
  EXPECT_EQ(text_at(generated(R"("model": "mine")"), "done_reason"), "load");
  EXPECT_EQ(text_at(json_of(post("/api/chat", R"({"model": "mine"})")->wait().body), "done_reason"), "load");
  EXPECT_EQ(engine_->n_submitted, 0);
}

TEST_F(OllamaTest, AFailureOnTheWayIsTheLastLine) {
  engine_->script = {.pieces = {"a"}, .finish = Finish::kFailed, .error = {ErrorCode::kInternal, "it broke"}};
  const auto lines = lines_of(ask()->wait().body);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(text_at(lines[1], "error"), "it broke");
  EXPECT_EQ(ask(R"(, "stream": false)")->wait().status, 500);
}

TEST_F(OllamaTest, AClientThatLeavesEndsItsAnswer) {
  engine_->script = {.pieces = {"a"}, .error = {}, .wait_for_cancel = true};
  const auto exchange = ask();
  exchange->wait_for("\"a\"");
  exchange->leave();
  exchange->wait();
  EXPECT_TRUE(engine_->was_cancelled(1));
}

}  // namespace
}  // namespace reckon::server
