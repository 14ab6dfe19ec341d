// Answers that must obey a grammar.

#include <gtest/gtest.h>

#include "engine/fake_grammar.h"
#include "engine/loop_fixture.h"

namespace reckon::engine {
namespace {

class GrammarTest : public LoopTest {
 protected:
  static Request constrained(const std::string& text, int max_new_tokens = 100) {
    Request request = ask("?", max_new_tokens);
    request.grammar = std::make_shared<FakeGrammar>(text);
    return request;
  }
};

TEST_F(GrammarTest, TheAnswerIsATextOfTheGrammarAndEndsWithIt) {
  for (const float temperature : {0.0F, 1.3F}) {
    Request request = constrained(R"({"a":1})");
    request.sample.temperature = temperature;
    const Received& answer = run(request);
    EXPECT_EQ(answer.text, R"({"a":1})");
    EXPECT_EQ(answer.finish, Finish::kStop);
    EXPECT_EQ(answer.timings.n_generated, 7) << "no token is spent on the end";
  }
}

TEST_F(GrammarTest, WhereTheTextMayGoOnTheModelEndsIt) {
  auto grammar = std::make_shared<FakeGrammar>("ab");
  grammar->may_go_on = true;
  Request request = ask("?", 100);
  request.grammar = grammar;
  runner_.script = [](std::span<const TokenId> tokens) { return tokens.size() < 6 ? TokenId{'.'} : kEnd; };
  const Received& answer = run(request);
  EXPECT_EQ(answer.text, "ab...");
  EXPECT_EQ(answer.finish, Finish::kStop);
  EXPECT_EQ(answer.tokens.back(), kEnd);
}

TEST_F(GrammarTest, TheThoughtIsFreeAndTheAnswerIsNot) {
  Request request = constrained("yes");
  request.thought.starts_inside = true;
  request.thought.open = {kOpen};
  request.thought.close = {kClose};
  std::vector<TokenId> says_this = bytes_of("free words");
  says_this.push_back(kClose);
  for (const TokenId id : bytes_of("no way")) says_this.push_back(id);
  runner_.script = says(1, says_this);
  const Received& answer = run(request);
  EXPECT_EQ(answer.thought, "free words</think>");
  EXPECT_EQ(answer.content, "yes");
  EXPECT_EQ(answer.timings.n_thought, 11);
}

TEST_F(GrammarTest, AThoughtThatIsForcedToCloseIsFedAsEver) {
  Request request = constrained("yes");
  request.thought = {
      .starts_inside = true, .open = {kOpen}, .close = {kClose}, .max_tokens = 4, .forced_close = {'.', kClose, '\n'}};
  const Received& answer = run(request);
  EXPECT_EQ(answer.content, "\nyes");
  EXPECT_TRUE(answer.thought.ends_with(".</think>")) << answer.thought;
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kBudget);
}

TEST_F(GrammarTest, AMarkWithinTheAnswerOpensNoThought) {
  Request request = constrained("a<b>cd");
  request.thought.open = bytes_of("<b>");
  request.thought.close = {kClose};
  const Received& answer = run(request);
  EXPECT_EQ(answer.content, "a<b>cd");
  EXPECT_EQ(answer.thought, "");
}

TEST_F(GrammarTest, LogProbabilitiesAreThoseOfTheModelAlone) {
  Request request = constrained("zz");
  request.n_top_logprobs = 1;
  const Received& answer = run(request);
  ASSERT_EQ(answer.logprobs.size(), 2U);
  EXPECT_NE(answer.top_logprobs[0][0].id, 'z') << "the likeliest is what the model would have said";
  EXPECT_LT(answer.logprobs[0].logprob, answer.top_logprobs[0][0].logprob);
}

TEST_F(GrammarTest, AGrammarThatAllowsNothingFailsItsRequestWithOneLine) {
  auto grammar = std::make_shared<FakeGrammar>("ab");
  grammar->fails_in_middle = true;
  Request broken = ask("?", 10);
  broken.grammar = grammar;
  Received& failed = submit(broken);
  Request forbidden = constrained("ab");
  forbidden.sample.logit_bias = {{'b', -100.0F}};
  Received& nothing_left = submit(forbidden);
  Received& healthy = submit(ask("healthy", 20));
  run();
  EXPECT_EQ(failed.finish, Finish::kFailed);
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->message, "no token can continue");
  EXPECT_EQ(nothing_left.finish, Finish::kFailed);
  ASSERT_TRUE(nothing_left.error);
  EXPECT_NE(nothing_left.error->message.find("grammar"), std::string::npos);
  EXPECT_EQ(healthy.text, reference_answer("healthy", 20));
  expect_all_pages_back();
}

}  // namespace
}  // namespace reckon::engine
