// How answers end, and what of them is shown.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/loop_fixture.h"
#include "sample/loop_guard.h"

namespace reckon::engine {
namespace {

class AnswerTest : public LoopTest {
 protected:
  // After a prompt of one token the model says `answer`.
  Received& say(std::vector<TokenId> answer, Request request) {
    runner_.script = says(request.prompt.size(), std::move(answer));
    return run(std::move(request));
  }
  Received& say(std::string_view answer, Request request) { return say(bytes_of(answer), std::move(request)); }

  static std::vector<TokenId> join(std::initializer_list<std::vector<TokenId>> parts) {
    std::vector<TokenId> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  static Request thinking(int max_new_tokens = 200) {
    Request request = ask("?", max_new_tokens);
    request.thought.starts_inside = true;
    request.thought.open = {kOpen};
    request.thought.close = {kClose};
    return request;
  }
};

TEST_F(AnswerTest, EndsWhereTheModelEndsItsTurn) {
  const Received& answer = say("done", ask("?"));
  EXPECT_EQ(answer.text, "done");
  EXPECT_EQ(answer.finish, Finish::kStop);
  EXPECT_EQ(answer.tokens.back(), kEnd) << "the end counts as a token, but does not show";
  EXPECT_EQ(answer.timings.n_generated, 5);
}

TEST_F(AnswerTest, ControlTokensDoNotShow) { EXPECT_EQ(say({'a', kControl, 'b'}, ask("?")).text, "ab"); }

TEST_F(AnswerTest, StopStringsAreFoundAcrossTokensAndNeverShow) {
  Request request = ask("?");
  request.stop = {"beta gamma"};
  const std::vector<TokenId> words = {'a', kFirstWord, kFirstWord + 1, kFirstWord + 2, kFirstWord + 3, '!', 'x'};
  const Received& answer = say(words, request);
  EXPECT_EQ(answer.text, "a ");
  EXPECT_EQ(answer.finish, Finish::kStop);
  EXPECT_EQ(answer.tokens.size(), 5U);
  for (const std::string& piece : answer.pieces) EXPECT_EQ(piece.find("bet"), std::string::npos);
}

TEST_F(AnswerTest, HeldBackTextIsFlushedHoweverTheAnswerEnds) {
  Request request = ask("?");
  request.stop = {"\n\n"};
  EXPECT_EQ(say("line\n", request).text, "line\n") << "end of the turn";
  request.max_new_tokens = 5;
  const Received& cut = say("line\nmore", request);
  EXPECT_EQ(cut.text, "line\n");
  EXPECT_EQ(cut.finish, Finish::kLength);
}

TEST_F(AnswerTest, StopStringsWorkInChinese) {
  Request request = ask("?", 100);
  request.stop = {"因此"};
  EXPECT_EQ(say("我想，因为因此好", request).text, "我想，因为");
}

TEST_F(AnswerTest, StopTokensEndAndDoNotShow) {
  Request request = ask("?");
  request.stop_tokens = {';'};
  const Received& answer = say("ab;cd", request);
  EXPECT_EQ(answer.text, "ab");
  EXPECT_EQ(answer.finish, Finish::kStop);
}

TEST_F(AnswerTest, NothingEndsAnAnswerBeforeItsLeastLength) {
  Request request = ask("?", 100);
  request.min_new_tokens = 7;
  request.stop = {"b"};
  request.stop_tokens = {';'};
  const Received& answer = say("ab", request);
  EXPECT_GE(answer.timings.n_generated, 7);
  EXPECT_TRUE(answer.text.starts_with("ab"));
  EXPECT_EQ(say("abcdefgh", ask("?", 100)).text, "abcdefgh");
  request.min_new_tokens = 2;
  EXPECT_EQ(say("abcbd", request).text, "abc") << "the b of the second token comes too early to count";
}

TEST_F(AnswerTest, IgnoringTheEndGoesOnToTheLimit) {
  Request request = ask("?", 30);
  request.ignore_eos = true;
  const Received& answer = say("ab", request);
  EXPECT_EQ(answer.finish, Finish::kLength);
  EXPECT_EQ(answer.timings.n_generated, 30);
  EXPECT_EQ(std::ranges::count(answer.tokens, kEnd), 0);
}

TEST_F(AnswerTest, NoPieceHasHalfACharacterAtAnyLimit) {
  const std::string text = "😀🀄️龘𠮷é";
  for (int limit = 1; limit <= static_cast<int>(text.size()) + 1; ++limit) {
    const Received& answer = say(text, ask("?", limit));
    EXPECT_TRUE(text.starts_with(answer.text)) << answer.text;
    EXPECT_EQ(answer.text.find("\xEF\xBF\xBD"), std::string::npos);
    for (const std::string& piece : answer.pieces) {
      EXPECT_NE(static_cast<unsigned char>(piece[0]) & 0xC0U, 0x80U) << "starts inside of a character";
    }
  }
}

TEST_F(AnswerTest, ALoneByteComesOutAsAReplacementCharacter) {
  EXPECT_EQ(say({'a', 0xC3, 'b'}, ask("?")).text,
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(say({'a', 0xE5, 0x9B}, ask("?")).text, "a\xEF\xBF\xBD");
}

TEST_F(AnswerTest, PenaltiesAndBiasReachTheChoice) {
  Request request = ask("?", 20);
  request.sample.logit_bias = {{'x', 100.0F}};
  EXPECT_EQ(run(request).text, std::string(20, 'x'));
  request.sample.frequency_penalty = 100;
  runner_.script = {};
  const std::string varied = run(request).text;
  EXPECT_EQ(std::ranges::count(varied, 'x'), 1) << varied;
  Request banned = ask("?", 3);
  banned.sample.logit_bias = {{'a', -100.0F}};
  EXPECT_EQ(say("abc", banned).text.find('a'), std::string::npos);
}

TEST_F(AnswerTest, LogprobsComeWithEachTokenAndAreThoseOfTheModel) {
  Request request = ask("prob", 12);
  request.n_top_logprobs = 3;
  request.sample.temperature = 0.5F;
  const Received& answer = run(request);
  ASSERT_EQ(answer.logprobs.size(), answer.tokens.size());
  ASSERT_EQ(answer.top_logprobs.size(), answer.tokens.size());
  std::vector<TokenId> tokens = bytes_of("prob");
  std::vector<float> logits(kFakeVocab);
  for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
    runner_.reference_logits(tokens, logits);
    double sum = 0;
    for (const float x : logits) sum += std::exp(static_cast<double>(x));
    EXPECT_EQ(answer.logprobs[i].id, answer.tokens[i]);
    EXPECT_NEAR(answer.logprobs[i].logprob, logits[static_cast<std::size_t>(answer.tokens[i])] - std::log(sum), 1e-5);
    ASSERT_EQ(answer.top_logprobs[i].size(), 3U);
    EXPECT_GE(answer.top_logprobs[i][0].logprob, answer.top_logprobs[i][1].logprob);
    tokens.push_back(answer.tokens[i]);
  }
}

TEST_F(AnswerTest, ThoughtAndAnswerLieInDifferentEvents) {
  const Received& answer = say(join({bytes_of("hmm"), {kClose}, bytes_of("yes")}), thinking());
  EXPECT_EQ(answer.thought, "hmm</think>");
  EXPECT_EQ(answer.content, "yes");
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kModel);
  EXPECT_EQ(answer.timings.n_thought, 4);
  EXPECT_EQ(answer.timings.n_generated, 8);

  Request opens = thinking();
  opens.thought.starts_inside = false;
  const Received& later = say(join({{kOpen}, bytes_of("a"), {kClose}, bytes_of("b")}), opens);
  EXPECT_EQ(later.content, "<think>b");
  EXPECT_EQ(later.thought, "a</think>");
}

TEST_F(AnswerTest, AThoughtThatNeverClosesStaysAThought) {
  const Received& cut = say("one two three", thinking(6));
  EXPECT_EQ(cut.content, "");
  EXPECT_EQ(cut.thought, "one tw");
  EXPECT_EQ(cut.finish, Finish::kLength);
  EXPECT_EQ(cut.timings.n_thought, cut.timings.n_generated);
  EXPECT_EQ(cut.thought_end, ThoughtEnd::kNone);
  const Received& ended = say("one", thinking());
  EXPECT_EQ(ended.finish, Finish::kStop);
  EXPECT_EQ(ended.content, "");
  EXPECT_EQ(ended.timings.n_thought, ended.timings.n_generated);
}

TEST_F(AnswerTest, TheBudgetEndsTheThoughtAndTheAnswerFollows) {
  Request request = thinking();
  request.thought.max_tokens = 10;
  request.thought.forced_close = join({bytes_of("...enough"), {kClose}, bytes_of("\n")});
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId {
    const auto close = std::ranges::find(tokens, kClose);
    if (close == tokens.end()) return 'a' + static_cast<TokenId>(tokens.size() % 7);
    return static_cast<std::size_t>(tokens.end() - close) < 5 ? TokenId{'!'} : kEnd;
  };
  const Received& answer = run(request);
  EXPECT_EQ(answer.thought.size(), 10 + std::string("...enough</think>").size());
  EXPECT_TRUE(answer.thought.ends_with("...enough</think>"));
  EXPECT_EQ(answer.content, "\n!!!");
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kBudget);
  EXPECT_EQ(answer.timings.n_thought, 20);
  EXPECT_EQ(answer.finish, Finish::kStop);
  expect_all_pages_back();
}

TEST_F(AnswerTest, ABudgetOfNothingIsNoThought) {
  Request request = thinking();
  request.thought.max_tokens = 0;
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId {
    return tokens.back() == kClose ? TokenId{'4'} : tokens.back() == '4' ? kEnd : TokenId{'?'};
  };
  const Received& answer = run(request);
  EXPECT_EQ(answer.thought, "</think>");
  EXPECT_EQ(answer.content, "4");
  // A model that opens a thought all the same is stopped at once.
  request.thought.starts_inside = false;
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId {
    if (tokens.size() == 1) return kOpen;
    return tokens.back() == kClose ? TokenId{'4'} : tokens.back() == '4' ? kEnd : TokenId{'?'};
  };
  const Received& opened = run(request);
  EXPECT_EQ(opened.thought, "</think>");
  EXPECT_EQ(opened.content, "<think>4");
}

TEST_F(AnswerTest, TheReserveKeepsTokensForTheAnswer) {
  Request request = thinking(30);
  request.thought.answer_reserve = 10;
  runner_.script = [](std::span<const TokenId> tokens) { return 'a' + static_cast<TokenId>(tokens.size() % 20); };
  const Received& answer = run(request);
  EXPECT_EQ(answer.content.size(), 10U);
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kBudget);
  EXPECT_EQ(answer.finish, Finish::kLength);
}

TEST_F(AnswerTest, AnswerNowClosesTheThoughtWithinOneToken) {
  runner_.script = [](std::span<const TokenId> tokens) { return 'a' + static_cast<TokenId>(tokens.size() % 20); };
  Received& answer = submit(thinking(60));
  for (int i = 0; i < 10; ++i) loop_->step();
  const std::size_t n_before = answer.tokens.size();
  loop_->close_thought(1);
  loop_->step();
  EXPECT_EQ(answer.tokens[n_before], kClose);
  loop_->close_thought(1);  // there is none any more
  run();
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kAsked);
  EXPECT_EQ(std::ranges::count(answer.tokens, kClose), 1);
  EXPECT_EQ(answer.content.size(), 60 - n_before - 1);
}

TEST_F(AnswerTest, ALoopInTheThoughtEndsTheThought) {
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId {
    if (std::ranges::find(tokens, kClose) == tokens.end()) return "wait, "[tokens.size() % 6];
    return tokens.back() == kClose ? TokenId{'5'} : kEnd;
  };
  const Received& answer = run(thinking(3000));
  EXPECT_EQ(answer.thought_end, ThoughtEnd::kLoop);
  EXPECT_EQ(answer.finish, Finish::kStop);
  EXPECT_EQ(answer.content, "5");
  EXPECT_EQ(answer.timings.n_thought, sample::LoopGuard::loop_length(6) + 1);
  EXPECT_EQ(loop_->counters().n_loops_stopped, 1U);
}

TEST_F(AnswerTest, ALoopInTheAnswerEndsTheAnswerAndSaysSo) {
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId { return "again "[tokens.size() % 6]; };
  const Received& answer = run(ask("?", 3000));
  EXPECT_EQ(answer.finish, Finish::kRepetition);
  EXPECT_EQ(answer.timings.n_generated, sample::LoopGuard::loop_length(6));
  Request unguarded = ask("?", 3000);
  unguarded.loop_guard = false;
  EXPECT_EQ(run(unguarded).finish, Finish::kLength);
}

TEST_F(AnswerTest, ASecondLoopEndsTheAnswerEvenInAThought) {
  runner_.script = [](std::span<const TokenId> tokens) -> TokenId {
    return tokens.back() == kClose ? kOpen : "hmm "[tokens.size() % 4];
  };
  const Received& answer = run(thinking(3000));
  EXPECT_EQ(answer.finish, Finish::kRepetition);
  EXPECT_EQ(std::ranges::count(answer.tokens, kClose), 1);
  EXPECT_EQ(loop_->counters().n_loops_stopped, 2U);
}

TEST_F(AnswerTest, StopStringsMayBeKeptOutOfTheThought) {
  Request request = thinking();
  request.stop = {"\n"};
  const auto answer = join({bytes_of("a\nb"), {kClose}, bytes_of("c\nd")});
  EXPECT_EQ(say(answer, request).text, "a");
  request.stop_in_thought = false;
  const Received& both = say(answer, request);
  EXPECT_EQ(both.thought, "a\nb</think>");
  EXPECT_EQ(both.content, "c");
  request.stop = {"</think>"};
  request.stop_in_thought = true;
  EXPECT_EQ(say(answer, request).text, "a\nb");
}

TEST_F(AnswerTest, HeldBackTextKeepsItsSide) {
  Request request = thinking();
  request.stop = {"x</think>y!"};
  const Received& answer = say(join({bytes_of("ax"), {kClose}, bytes_of("yz")}), request);
  EXPECT_EQ(answer.thought, "ax</think>");
  EXPECT_EQ(answer.content, "yz");
}

}  // namespace
}  // namespace reckon::engine
