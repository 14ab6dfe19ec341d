// Work for the next turn, and prompts that are computed once for many.

#include <gtest/gtest.h>

#include "engine/loop_fixture.h"

namespace reckon::engine {
namespace {

std::string words(char seed, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += static_cast<char>('A' + (seed * 7 + i * i + i) % 26);
  return text;
}

class IdleTest : public LoopTest {
 protected:
  static Request idle(std::string_view prompt, std::string client = "") {
    Request request = ask(prompt, 0);
    request.idle = true;
    request.client = std::move(client);
    return request;
  }
};

TEST_F(IdleTest, TheNextTurnComputesItsNewTextAloneThoughTheThoughtIsDropped) {
  for (const int n_system : {10, 64, 100, 130}) {
    for (const int n_answer : {1, 40, 63, 64, 90}) {
      start();
      const std::string question = words('q', n_system);
      const std::string thought = words('t', 150);
      const std::string answer = words('a', n_answer);
      run(ask(question + thought + answer, 1));  // as the first turn left the pages
      const std::string history = question + answer;
      const Received& work = run(idle(history));
      EXPECT_EQ(work.finish, Finish::kLength);
      EXPECT_EQ(work.tokens.size(), 0U);
      const auto before = loop_->counters().n_prefill_tokens.load();
      const std::string next = history + "and then?";
      const Received& turn = run(ask(next, 20));
      EXPECT_EQ(turn.timings.n_cached, static_cast<int>(history.size()));
      EXPECT_EQ(loop_->counters().n_prefill_tokens - before, 9U);
      EXPECT_EQ(turn.text, reference_answer(next, 20));
      expect_all_pages_back();
    }
  }
}

TEST_F(IdleTest, IdleWorkWaitsForAllOthersAndGoesOnAfterThem) {
  runner_.record_steps = true;
  start({.max_step_tokens = 32});
  Received& work = submit(idle(words('h', 200), "a"));
  loop_->step();
  loop_->step();
  EXPECT_EQ(loop_->counters().n_idle_tokens, 64U);
  Received& real = submit([&] {
    Request request = ask("real", 30);
    request.client = "b";
    return request;
  }());
  while (real.finish == Finish::kRunning) loop_->step();
  EXPECT_EQ(loop_->counters().n_idle_tokens, 64U) << "not a token beside real work";
  EXPECT_EQ(work.finish, Finish::kRunning);
  EXPECT_EQ(real.text, reference_answer("real", 30));
  run();
  EXPECT_EQ(work.finish, Finish::kLength);
  EXPECT_EQ(loop_->counters().n_idle_tokens, 200U) << "nothing is computed twice";
  EXPECT_EQ(loop_->counters().n_prefill_tokens, 4U);
  EXPECT_EQ(run(ask(words('h', 200) + "!", 3)).timings.n_cached, 200);
}

TEST_F(IdleTest, ARealRequestOfTheSameClientEndsItAndTakesWhatIsThere) {
  start({.max_step_tokens = 50});
  Received& work = submit(idle(words('h', 200), "a"));
  Received& of_other = submit(idle(words('i', 60), "b"));
  loop_->step();
  loop_->step();
  Request next = ask(words('h', 200) + "new", 5);
  next.client = "a";
  Received& turn = submit(next);
  run();
  EXPECT_EQ(work.finish, Finish::kCancelled);
  EXPECT_EQ(turn.timings.n_cached, 100);
  EXPECT_EQ(turn.text, reference_answer(words('h', 200) + "new", 5));
  EXPECT_EQ(of_other.finish, Finish::kLength);
  EXPECT_EQ(loop_->counters().n_finished[static_cast<std::size_t>(Finish::kCancelled)], 0U) << "idle is not counted";
}

TEST_F(IdleTest, IdleWorkIsBoundedAndEndsWithTheEngine) {
  start({.max_step_tokens = 50});
  std::vector<Received*> all;
  for (int i = 0; i < 20; ++i) all.push_back(&submit(idle(words(static_cast<char>('a' + i), 200))));
  loop_->step();
  EXPECT_EQ(std::ranges::count(all, Finish::kCancelled, &Received::finish), 4) << "the oldest gave way";
  EXPECT_EQ(all[0]->finish, Finish::kCancelled);
  loop_->end_all(std::nullopt);
  EXPECT_EQ(std::ranges::count(all, Finish::kCancelled, &Received::finish), 20);
  expect_all_pages_back();
}

TEST_F(IdleTest, IdleWorkHoldsNoPageThatRealWorkNeeds) {
  start({.n_context = 600, .kv_bytes = 10 * runner_.page_bytes()});
  submit(idle(words('h', 500)));
  loop_->step();
  const std::string prompt = words('x', 590);
  const Received& real = run(ask(prompt, 9));
  EXPECT_EQ(real.text, reference_answer(prompt, 9));
  EXPECT_EQ(loop_->counters().n_preemptions, 0U);
  expect_all_pages_back();
}

// n > 1 and best_of: the same prompt, submitted n times.
TEST_F(IdleTest, OnePromptAskedManyTimesAtOnceIsComputedOnce) {
  for (const int n_prompt : {5, 64, 65, 127, 200, 640}) {
    for (const int max_step_tokens : {20, 100, 512}) {
      start({.max_step_tokens = max_step_tokens});
      const std::string prompt = words('n', n_prompt);
      std::vector<Received*> all;
      for (std::uint64_t i = 0; i < 5; ++i) {
        Request request = ask(prompt, 12);
        if (i > 0) request.sample = {.temperature = 1.5F, .seed = i};
        all.push_back(&submit(request));
      }
      run();
      EXPECT_EQ(all[0]->text, reference_answer(prompt, 12));
      EXPECT_NE(all[1]->text, all[2]->text);
      // Each computes the last token itself: it needs its own logits. To wait for a few tokens more is not worth it.
      const int n_each = n_prompt > 8 && max_step_tokens > 20 ? 1 : 8;
      EXPECT_LE(loop_->counters().n_prefill_tokens, static_cast<std::uint64_t>(n_prompt + 4 * n_each))
          << n_prompt << ' ' << max_step_tokens;
      expect_all_pages_back();
    }
  }
}

}  // namespace
}  // namespace reckon::engine
