// Limits of time, and turns of clients.

#include <gtest/gtest.h>

#include "engine/loop_fixture.h"

namespace reckon::engine {
namespace {

using std::chrono::milliseconds;

class LimitsTest : public LoopTest {
 protected:
  void start_at(StepLoopOptions options = {}) {
    options.now = [this] { return now_; };
    start(options);
  }
  void pass(int ms) { now_ += milliseconds(ms); }

  Request from(std::string client, std::string_view prompt, int max_new_tokens = 5) {
    Request request = ask(prompt, max_new_tokens);
    request.client = std::move(client);
    return request;
  }

  Clock::time_point now_{};
};

TEST_F(LimitsTest, AQueuedRequestEndsWhenItsTimeIsOverWhileOthersRun) {
  start_at({.max_sequences = 1});
  Received& running = submit(ask("x", 30));
  Request hurried = ask("y");
  hurried.queue_ms = 100;
  Received& queued = submit(hurried);
  loop_->step();
  pass(99);
  loop_->step();
  EXPECT_EQ(queued.finish, Finish::kRunning);
  pass(1);
  loop_->step();
  EXPECT_EQ(queued.finish, Finish::kTimeout);
  EXPECT_EQ(queued.time_limit, TimeLimit::kQueue);
  EXPECT_EQ(queued.timings.queue_ms, 100);
  EXPECT_EQ(running.finish, Finish::kRunning);
  run();
  EXPECT_EQ(running.text, reference_answer("x", 30));
  EXPECT_EQ(loop_->counters().n_timeouts[static_cast<std::size_t>(TimeLimit::kQueue)], 1U);
}

TEST_F(LimitsTest, TheFirstTokenMayComeTooLateInTheMiddleOfThePrompt) {
  start_at({.max_step_tokens = 32});
  Request request = ask(std::string(500, 'p'), 10);
  request.queue_ms = 1;
  request.first_token_ms = 50;
  Received& answer = submit(request);
  loop_->step();
  pass(49);
  loop_->step();
  EXPECT_EQ(answer.finish, Finish::kRunning) << "it no longer waits, so the limit of the queue is past";
  pass(1);
  loop_->step();
  EXPECT_EQ(answer.finish, Finish::kTimeout);
  EXPECT_EQ(answer.time_limit, TimeLimit::kFirstToken);
  EXPECT_FALSE(loop_->step());
  expect_all_pages_back();
}

TEST_F(LimitsTest, TheWholeTimeCutsARunningAnswerAndKeepsItsText) {
  start_at();
  Request request = ask("x", 1000);
  request.first_token_ms = 5;
  request.total_ms = 20;
  Received& answer = submit(request);
  for (int i = 0; i < 10; ++i) {
    loop_->step();
    pass(4);
  }
  EXPECT_EQ(answer.finish, Finish::kTimeout);
  EXPECT_EQ(answer.time_limit, TimeLimit::kTotal);
  EXPECT_EQ(answer.tokens.size(), 5U);
  EXPECT_EQ(answer.text, reference_answer("x", 5));
}

TEST_F(LimitsTest, AClientWithManyRequestsDelaysAnotherByOne) {
  start_at({.max_sequences = 1});
  std::vector<int> order;
  const auto note = [&](Received& received, int who) {
    received.also = [&order, who](const Event& event) {
      if (event.finish != Finish::kRunning) order.push_back(who);
      return true;
    };
  };
  for (int i = 0; i < 10; ++i) note(submit(from("greedy", "g" + std::to_string(i))), 0);
  loop_->step();
  for (int i = 0; i < 3; ++i) note(submit(from("modest", "m" + std::to_string(i))), 1);
  run();
  ASSERT_EQ(order.size(), 13U);
  EXPECT_EQ((std::vector<int>{order.begin(), order.begin() + 7}), (std::vector<int>{0, 0, 1, 0, 1, 0, 1}));
}

TEST_F(LimitsTest, ThePlaceInTheQueueFollowsTheTurns) {
  start_at({.max_sequences = 1});
  submit(from("a", "0"));  // 1: runs
  loop_->step();
  submit(from("a", "1"));
  submit(from("a", "2"));
  submit(from("a", "3"));
  submit(from("b", "4"));
  const auto turns_of_all = [this] {
    std::vector<RequestId> turns;
    loop_->waiting().for_each_in_turn([&](const Sequence& sequence) { turns.push_back(sequence.id()); });
    return turns;
  };
  EXPECT_EQ(turns_of_all(), (std::vector<RequestId>{2, 5, 3, 4}));
  const auto version = loop_->waiting().version();
  loop_->step();
  EXPECT_EQ(loop_->waiting().version(), version) << "nothing moved";
  loop_->cancel(2);
  loop_->step();
  EXPECT_EQ(turns_of_all(), (std::vector<RequestId>{3, 5, 4}));
  EXPECT_NE(loop_->waiting().version(), version);
  run();
}

TEST_F(LimitsTest, ThePlaceInTheQueueIsToldWhenItChanges) {
  start_at({.max_sequences = 1});
  Request asked = ask("x", 3);
  asked.progress_events = true;
  Received& first = submit(asked);
  loop_->step();
  Received& second = submit(asked);
  Received& third = submit(asked);
  Received& silent = submit(ask("y", 3));
  loop_->step();
  loop_->step();
  EXPECT_TRUE(first.places.empty()) << "it never waited";
  EXPECT_EQ(second.places, (std::vector<int>{0}));
  EXPECT_EQ(third.places, (std::vector<int>{1}));
  run();
  EXPECT_EQ(second.places, (std::vector<int>{0}));
  EXPECT_EQ(third.places, (std::vector<int>{1, 0}));
  EXPECT_TRUE(silent.places.empty());
  EXPECT_EQ(third.text, reference_answer("x", 3));
}

TEST_F(LimitsTest, WhoHangsUpAtTheNewsOfItsPlaceNeverRuns) {
  start_at({.max_sequences = 1});
  submit(ask("x", 3));
  loop_->step();
  Request asked = ask("y", 3);
  asked.progress_events = true;
  Received& left = submit(asked);
  left.also = [](const Event&) { return false; };
  run();
  EXPECT_EQ(left.finish, Finish::kCancelled);
  EXPECT_TRUE(left.tokens.empty());
}

TEST_F(LimitsTest, PromptsOfOneClientShareWhatAnotherClientGetsForOne) {
  runner_.record_steps = true;
  start_at({.max_step_tokens = 512});
  for (int i = 0; i < 3; ++i) submit(from("greedy", std::string(900, static_cast<char>('a' + i))));
  submit(from("modest", std::string(900, 'z')));
  loop_->step();
  ASSERT_EQ(runner_.step_spans.size(), 1U);
  auto spans = runner_.step_spans[0];
  std::ranges::sort(spans);
  EXPECT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans.back(), 256) << "half of the step for the one who asks once";
  run();
}

TEST_F(LimitsTest, ProgressOfAPromptIsToldOnceAStep) {
  start_at({.max_step_tokens = 128});
  Request request = ask(std::string(300, 'p'), 3);
  request.progress_events = true;
  Received& first = submit(request);
  run();
  EXPECT_EQ(first.progress, (std::vector<std::vector<int>>{{128, 300, 0}, {256, 300, 0}, {300, 300, 0}}));
  EXPECT_EQ(first.text, reference_answer(std::string(300, 'p'), 3));
  Received& again = submit(request);
  run();
  EXPECT_EQ(again.progress, (std::vector<std::vector<int>>{{300, 300, 299}}));
  Received& silent = run(ask(std::string(300, 'q'), 3));
  EXPECT_TRUE(silent.progress.empty());
}

}  // namespace
}  // namespace reckon::engine
