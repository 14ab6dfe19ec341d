#include "server/openai/completions.h"

#include "server/service_fixture.h"

namespace reckon::server {
namespace {

class CompletionTest : public ServiceTest {
 protected:
  CompletionTest() { engine_->script = {.pieces = {"b", "c"}, .error = {}}; }
  std::shared_ptr<FakeExchange> complete(std::string_view fields) {
    return post("/v1/completions", "{" + std::string(fields) + "}");
  }
  text::Json body(std::string_view fields) { return json_of(complete(fields)->wait().body); }
};

TEST_F(CompletionTest, GoesOnWithTheTextAsItStands) {
  const text::Json answer = body(R"("prompt": "a")");
  EXPECT_EQ(text_at(answer, "object"), "text_completion");
  EXPECT_EQ(text_at(answer, "choices.0.text"), "bc");
  EXPECT_EQ(text_at(answer, "choices.0.logprobs"), "null");
  EXPECT_EQ(engine_->last.prompt, (std::vector<TokenId>{'a'}));
  EXPECT_EQ(engine_->last.max_new_tokens, 16);
}

TEST_F(CompletionTest, PromptsHaveFourForms) {
  EXPECT_EQ(at(body(R"("prompt": ["x", "y"])"), "choices")->as_array()->size(), 2U);
  EXPECT_EQ(engine_->last.prompt, (std::vector<TokenId>{'y'}));
  EXPECT_EQ(at(body(R"("prompt": [65, 66])"), "choices")->as_array()->size(), 1U);
  EXPECT_EQ(engine_->last.prompt, (std::vector<TokenId>{65, 66}));
  const text::Json answer = body(R"("prompt": [[65, 66], [67]], "n": 2)");
  EXPECT_EQ(at(answer, "choices")->as_array()->size(), 4U);
  EXPECT_EQ(text_at(answer, "choices.3.index"), "3");
  EXPECT_EQ(text_at(answer, "usage.prompt_tokens"), "3");
  EXPECT_EQ(text_at(answer, "usage.completion_tokens"), "8");
}

TEST_F(CompletionTest, WrongPromptsAreRefused) {
  for (const char* prompt : {"null", "5", "{}", "[null]", "[[]]", "[{}]", "[1.5]", "[-1]", "[256]", "[2147483648]",
                             "[\"a\", 5]", "true", "\"\"", "[]", "[\"\"]"}) {
    const auto response = complete(std::string(R"("prompt": )") + prompt)->wait();
    EXPECT_EQ(response.status, 400) << prompt;
    EXPECT_EQ(text_at(json_of(response.body), "error.param"), "prompt") << prompt;
  }
  EXPECT_EQ(complete("")->wait().status, 400);
  EXPECT_EQ(complete(R"("prompt": "a", "suffix": "z")")->wait().status, 400);
  EXPECT_EQ(complete(R"("prompt": "a", "best_of": 1, "n": 2)")->wait().status, 400);
  EXPECT_EQ(engine_->n_submitted, 0);
}

TEST_F(CompletionTest, EchoPutsThePromptInFront) {
  EXPECT_EQ(text_at(body(R"("prompt": "a", "echo": true)"), "choices.0.text"), "abc");
  const auto events = events_of(complete(R"("prompt": "a", "echo": true, "stream": true)")->wait().body);
  std::string text;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) text += text_at(json_of(events[i]), "choices.0.text");
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(events.back(), "[DONE]");
}

TEST_F(CompletionTest, LogprobsAreParallelLists) {
  const text::Json answer = body(R"("prompt": "a", "logprobs": 1)");
  EXPECT_EQ(text_at(answer, "choices.0.logprobs.tokens"), R"(["b","c"])");
  EXPECT_EQ(text_at(answer, "choices.0.logprobs.text_offset"), "[0,1]");
  EXPECT_EQ(text_at(answer, "choices.0.logprobs.top_logprobs.0.b"), "-0.5");
}

TEST_F(CompletionTest, BestOfMakesMoreThanItKeeps) {
  const text::Json answer = body(R"("prompt": "a", "n": 2, "best_of": 4)");
  EXPECT_EQ(engine_->n_submitted, 4);
  EXPECT_EQ(at(answer, "choices")->as_array()->size(), 2U);
  EXPECT_EQ(text_at(answer, "usage.completion_tokens"), "8");
  EXPECT_EQ(text_at(answer, "choices.0.logprobs"), "null") << "not asked for";
}

using TokensTest = ServiceTest;

TEST_F(TokensTest, TextBecomesTokensAndBack) {
  const text::Json tokens = json_of(post("/tokenize", R"({"content": "hi"})")->wait().body);
  EXPECT_EQ(text_at(tokens, "tokens"), "[104,105]");
  EXPECT_EQ(text_at(tokens, "count"), "2");
  EXPECT_EQ(text_at(json_of(post("/tokenize", R"({"content": "h", "with_pieces": true})")->wait().body), "tokens"),
            R"([{"id":104,"piece":"h"}])");
  EXPECT_EQ(text_at(json_of(post("/detokenize", R"({"tokens": [104, 105]})")->wait().body), "content"), "hi");
  EXPECT_EQ(post("/detokenize", R"({"tokens": ["x", -1, 2147483648]})")->wait().status, 400);
  EXPECT_EQ(post("/detokenize", "{}")->wait().status, 400);
  EXPECT_EQ(post("/tokenize", R"({"content": 5})")->wait().status, 400);
}

TEST_F(TokensTest, AConversationIsRenderedAndCounted) {
  const char* chat = R"({"messages": [{"role": "user", "content": "hi"}]})";
  EXPECT_EQ(text_at(json_of(post("/apply-template", chat)->wait().body), "prompt"), "user: hi\nassistant:");
  EXPECT_EQ(text_at(json_of(post("/tokenize", chat)->wait().body), "count"), "19");
}

}  // namespace
}  // namespace reckon::server
