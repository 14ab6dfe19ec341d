#include "engine/step_loop.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "engine/loop_fixture.h"

namespace reckon::engine {
namespace {

std::string long_prompt(char first, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += static_cast<char>('A' + (first + i * i) % 26);
  return text;
}

TEST_F(LoopTest, AnswersLikeTheModelReadByItself) {
  const Received& answer = run(ask("hello", 40));
  EXPECT_EQ(answer.text, reference_answer("hello", 40));
  EXPECT_EQ(answer.finish, Finish::kLength);
  EXPECT_EQ(answer.tokens.size(), 40U);
  EXPECT_EQ(answer.timings.n_prompt, 5);
  EXPECT_EQ(answer.timings.n_generated, 40);
  expect_all_pages_back();
}

TEST_F(LoopTest, EightAtOnceOneByOneWithAndWithoutAPrefixHitGiveTheSameText) {
  const std::string shared = long_prompt('a', 150);
  std::vector<Request> requests;
  std::vector<std::string> expected;
  for (int i = 0; i < 8; ++i) {
    const std::string prompt = shared + long_prompt(static_cast<char>('a' + i), 20 * i + 1);
    requests.push_back(ask(prompt, 100));
    expected.push_back(reference_answer(prompt, 100));
  }
  for (const bool prefix_cache : {false, true}) {
    for (const int max_step_tokens : {8, 31, 512}) {
      start({.max_step_tokens = max_step_tokens, .prefix_cache = prefix_cache});
      for (int round = 0; round < 3; ++round) {  // from the second round on all prompts are known
        std::vector<Received*> together;
        for (const Request& request : requests) together.push_back(&submit(request));
        run();
        for (std::size_t i = 0; i < requests.size(); ++i) {
          EXPECT_EQ(together[i]->text, expected[i]);
          EXPECT_EQ(run(requests[i]).text, expected[i]);
        }
      }
      EXPECT_EQ(loop_->counters().n_cached_tokens > 0, prefix_cache);
      expect_all_pages_back();
    }
  }
}

TEST_F(LoopTest, ASampledAnswerDependsOnItsSeedAlone) {
  Request request = ask("tell me", 60);
  request.sample = {.temperature = 1.5F, .top_p = 0.9F, .seed = 42};
  const std::string alone = run(request).text;
  Request other = request;
  other.sample.seed = 43;
  for (int i = 0; i < 20; ++i) {
    Received& a = submit(other);
    Received& b = submit(request);
    run();
    EXPECT_EQ(b.text, alone);
    EXPECT_NE(a.text, alone);
  }
}

TEST_F(LoopTest, ACutOffAnswerGoesOnWithTheSameWords) {
  Request request = ask("once", 60);
  request.sample = {.temperature = 1.2F, .seed = 5};
  const std::string whole = run(request).text;
  Request first = request;
  first.max_new_tokens = 25;
  const std::string start = run(first).text;
  Request rest = ask("once" + start, 35);
  rest.sample = request.sample;
  EXPECT_EQ(start + run(rest).text, whole);
}

TEST_F(LoopTest, DecodingComesFirstAndPromptsShareTheRest) {
  runner_.record_steps = true;
  start({.max_step_tokens = 100});
  submit(ask("a", 50));
  loop_->step();
  submit(ask(long_prompt('b', 1000), 5));
  submit(ask(long_prompt('c', 30), 5));
  loop_->step();
  ASSERT_EQ(runner_.step_spans.size(), 2U);
  EXPECT_EQ(runner_.step_spans[1][0], 1) << "the running answer goes on";
  EXPECT_EQ(runner_.step_spans[1].size(), 3U) << "both prompts are served";
  EXPECT_LE(runner_.step_tokens[1], 100);
  EXPECT_TRUE(std::ranges::find(runner_.step_spans[1], 30) != runner_.step_spans[1].end())
      << "the short one as a whole";
  run();
}

TEST_F(LoopTest, ARepeatedPromptIsComputedButForItsLastToken) {
  const std::string prompt = long_prompt('a', 300);
  EXPECT_EQ(run(ask(prompt, 30)).timings.n_cached, 0);
  const auto n_before = loop_->counters().n_prefill_tokens.load();
  const Received& again = run(ask(prompt, 30));
  EXPECT_EQ(again.timings.n_cached, 299);
  EXPECT_EQ(loop_->counters().n_prefill_tokens - n_before, 1U);
  EXPECT_EQ(again.text, reference_answer(prompt, 30));
}

TEST_F(LoopTest, AFollowUpTurnComputesTheNewTextAlone) {
  const std::string first = long_prompt('a', 200);
  const std::string answer = run(ask(first, 50)).text;
  const std::string second = first + answer + "and then?";
  const Received& follow_up = run(ask(second, 20));
  // All but the last token of the answer, which was never run through the model.
  EXPECT_EQ(follow_up.timings.n_cached, 249);
  EXPECT_EQ(follow_up.text, reference_answer(second, 20));
  // A template that drops the thought: same start, other words after it.
  const std::string without_thought = first + answer.substr(30) + "and then?";
  const Received& dropped = run(ask(without_thought, 20));
  EXPECT_GE(dropped.timings.n_cached, 200);
  EXPECT_EQ(dropped.text, reference_answer(without_thought, 20));
}

TEST_F(LoopTest, EqualPromptsThatComeTogetherAreComputedOnce) {
  const std::string prompt = long_prompt('a', 640);
  start({.max_step_tokens = 128});
  std::vector<Received*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&submit(ask(prompt + std::to_string(i), 10)));
  run();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->text, reference_answer(prompt + std::to_string(i), 10));
  EXPECT_LT(loop_->counters().n_prefill_tokens, 640U + 5 * 64U);
  expect_all_pages_back();
}

TEST_F(LoopTest, AFullPoolPutsTheYoungestBackAndAllStillAnswerRight) {
  const std::size_t page_bytes = runner_.page_bytes();
  for (const bool prefix_cache : {true, false}) {
    start({.n_context = 600, .kv_bytes = 10 * page_bytes, .prefix_cache = prefix_cache});
    std::vector<Received*> all;
    std::vector<std::string> prompts;
    for (int i = 0; i < 6; ++i) {
      prompts.push_back(long_prompt(static_cast<char>('a' + 3 * i), 90));
      all.push_back(&submit(ask(prompts.back(), 300)));
    }
    run();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i]->text, reference_answer(prompts[i], 300));
      EXPECT_EQ(all[i]->finish, Finish::kLength);
    }
    EXPECT_GT(loop_->counters().n_preemptions, 0U);
    expect_all_pages_back();
  }
}

TEST_F(LoopTest, TheContextIsNoLongerThanThePoolAndEndsTheAnswer) {
  start({.n_context = 8192, .kv_bytes = 3 * runner_.page_bytes()});
  EXPECT_EQ(loop_->context().n_context, 192);
  const Received& answer = run(ask(long_prompt('a', 100), 10000));
  EXPECT_EQ(answer.finish, Finish::kLength);
  EXPECT_EQ(answer.timings.n_generated, 92);
  EXPECT_EQ(answer.text, reference_answer(long_prompt('a', 100), 92));
}

TEST_F(LoopTest, OnlyTheOneThatOverflowsEnds) {
  start({.n_context = 128});
  Received& small = submit(ask("a", 60));
  Received& large = submit(ask(long_prompt('b', 100), 600));
  run();
  EXPECT_EQ(large.timings.n_generated, 28);
  EXPECT_EQ(small.text, reference_answer("a", 60));
}

TEST_F(LoopTest, CancelEndsTheOneThatWasMeantWhereverItIs) {
  start({.max_sequences = 2, .max_step_tokens = 64});
  Received& decoding = submit(ask("x", 500));
  loop_->step();
  Received& in_prefill = submit(ask(long_prompt('b', 900), 10));
  Received& queued = submit(ask("queued", 10));
  Received& healthy = submit(ask("healthy", 30));
  loop_->step();
  loop_->step();
  loop_->cancel(3);
  loop_->step();
  EXPECT_EQ(queued.finish, Finish::kCancelled);
  EXPECT_EQ(decoding.finish, Finish::kRunning) << "a queued client's hang-up is no one else's";
  loop_->cancel(2);
  loop_->step();
  EXPECT_EQ(in_prefill.finish, Finish::kCancelled);
  EXPECT_EQ(in_prefill.timings.n_generated, 0);
  loop_->cancel(1);
  loop_->cancel(777);
  loop_->step();
  EXPECT_EQ(decoding.finish, Finish::kCancelled);
  run();
  EXPECT_EQ(healthy.text, reference_answer("healthy", 30));
  expect_all_pages_back();
}

TEST_F(LoopTest, ACallbackThatSaysNoOrThrowsCancelsItsRequest) {
  Received& refuses = submit(ask("refuses", 100));
  refuses.also = [&](const Event& event) { return event.finish != Finish::kRunning || refuses.tokens.size() < 5; };
  Received& throws = submit(ask("throws", 100));
  throws.also = [](const Event&) -> bool { throw std::runtime_error("mine"); };
  Received& healthy = submit(ask("healthy", 30));
  run();
  EXPECT_EQ(refuses.finish, Finish::kCancelled);
  EXPECT_EQ(refuses.tokens.size(), 5U);
  EXPECT_EQ(throws.finish, Finish::kCancelled);
  EXPECT_EQ(healthy.text, reference_answer("healthy", 30));
  expect_all_pages_back();
}

TEST_F(LoopTest, AFailedStepEndsTheSequenceAtFaultAlone) {
  runner_.before_step = [](const model::Step& step) -> Result<void> {
    for (const auto& span : step.spans) {
      if (span.start == 20 && span.tokens[0] == 'Z') return fail(ErrorCode::kInternal, "logits of span 0 are NaN");
    }
    return {};
  };
  runner_.script = [](std::span<const TokenId> tokens) { return tokens[0] == 'Z' ? TokenId{'Z'} : TokenId{-1}; };
  Received& poisoned = submit(ask("Zoo", 100));
  Received& healthy = submit(ask("healthy", 60));
  run();
  EXPECT_EQ(poisoned.finish, Finish::kFailed);
  ASSERT_TRUE(poisoned.error);
  EXPECT_EQ(poisoned.error->message, "logits of span 0 are NaN");
  EXPECT_EQ(healthy.finish, Finish::kLength);
  EXPECT_EQ(healthy.text, reference_answer("healthy", 60));
  expect_all_pages_back();
  EXPECT_EQ(run(ask("next", 10)).text, reference_answer("next", 10));
}

TEST_F(LoopTest, AnExceptionOfTheModelIsAnErrorOfItsRequests) {
  runner_.before_step = [](const model::Step&) -> Result<void> { throw std::runtime_error("boom"); };
  const Received& answer = run(ask("x"));
  EXPECT_EQ(answer.finish, Finish::kFailed);
  EXPECT_NE(answer.error->message.find("boom"), std::string::npos);
  runner_.before_step = {};
  EXPECT_EQ(run(ask("next", 10)).text, reference_answer("next", 10));
}

TEST_F(LoopTest, NoTokensAreTakenWhereNoneAreAskedFor) {
  const Received& answer = run(ask("x", 0));
  EXPECT_EQ(answer.finish, Finish::kLength);
  EXPECT_EQ(answer.n_events, 1);
  EXPECT_EQ(answer.timings.n_generated, 0);
  EXPECT_EQ(loop_->counters().n_steps, 0U);
}

TEST_F(LoopTest, TimesAddUpToTheWholeRequest) {
  const auto start = Clock::now();
  const Received& answer = run(ask(long_prompt('a', 2000), 50));
  const double wall = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  const double sum = answer.timings.queue_ms + answer.timings.prefill_ms + answer.timings.decode_ms;
  EXPECT_GT(answer.timings.prefill_ms, 0);
  EXPECT_LE(sum, wall);
  EXPECT_GT(sum, 0.5 * wall);
}

// Many requests of all kinds, cancelled at random, over a pool that is too small.
TEST_F(LoopTest, SurvivesRandomWork) {
  start({.n_context = 500, .max_sequences = 5, .max_step_tokens = 70, .kv_bytes = 12 * runner_.page_bytes()});
  std::uint64_t state = 1;
  const auto random = [&state](int n) {
    return static_cast<int>(sample::mix_bits(++state) % static_cast<std::uint64_t>(n));
  };
  struct Job {
    Received* received;
    std::string prompt;
    int n;
  };
  std::vector<Job> jobs;
  for (int i = 0; i < 120; ++i) {
    const std::string prompt = long_prompt(static_cast<char>('a' + random(3)), 1 + random(300));
    const int n = random(120);
    jobs.push_back({&submit(ask(prompt, n)), prompt, n});
    for (int k = random(30); k > 0; --k) loop_->step();
    if (random(5) == 0) loop_->cancel(static_cast<RequestId>(1 + random(i + 1)));
  }
  run();
  int n_done = 0;
  for (const Job& job : jobs) {
    const std::string expected = reference_answer(job.prompt, job.n);
    ASSERT_NE(job.received->finish, Finish::kRunning);
    if (job.received->finish == Finish::kCancelled) {
      EXPECT_TRUE(expected.starts_with(job.received->text));
    } else {
      EXPECT_EQ(job.received->text, expected);
      ++n_done;
    }
  }
  EXPECT_GT(n_done, 60);
  expect_all_pages_back();
}

}  // namespace
}  // namespace reckon::engine
