#include "engine/engine_thread.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "engine/fake_model.h"

namespace reckon::engine {
namespace {

// What one request got, handed from the engine thread to the test.
class Inbox {
 public:
  bool put(const Event& event) {
    const std::scoped_lock lock(mutex_);
    text_ += event.text;
    n_tokens_ += event.tokens.size();
    finish_ = event.finish;
    if (event.timings != nullptr) timings_ = *event.timings;
    changed_.notify_all();
    return true;
  }
  Finish wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finish_ != Finish::kRunning; });
    return finish_;
  }
  void wait_for_tokens(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return n_tokens_ >= n || finish_ != Finish::kRunning; });
  }
  std::string text() {
    const std::scoped_lock lock(mutex_);
    return text_;
  }
  OnEvent callback() {
    return [this](const Event& event) { return put(event); };
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::size_t n_tokens_ = 0;
  Finish finish_ = Finish::kRunning;
  RequestTimings timings_;
};

// Lets the test decide when the model may step.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++n_waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    --n_waiting_;
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return n_waiting_ > 0; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int n_waiting_ = 0;
  bool is_open_ = false;
};

struct Running {
  std::unique_ptr<Engine> engine;
  FakeRunner* runner = nullptr;
};

Running start(EngineOptions options = {}, const std::function<void(FakeRunner&)>& set_up = {}) {
  auto runner = std::make_unique<FakeRunner>();
  if (set_up) set_up(*runner);
  Running running;
  running.runner = runner.get();
  if (options.n_context == 0) options.n_context = 1024;
  options.kv_bytes = 64 * runner->page_bytes();
  EngineParts parts;
  parts.runner = std::move(runner);
  parts.tokenizer = std::make_shared<FakeTokenizer>();
  parts.info.name = "fake";
  parts.info.weight_bytes = 1000;
  parts.n_threads = 1;
  auto engine = start_engine(std::move(parts), options);
  EXPECT_TRUE(engine) << engine.error().message;
  if (engine) running.engine = std::move(*engine);
  return running;
}

Request ask(std::string_view prompt, int max_new_tokens) {
  Request request;
  request.prompt = bytes_of(prompt);
  request.max_new_tokens = max_new_tokens;
  return request;
}

TEST(EngineThread, ManyThreadsAskAtOnceAndAllGetTheSameAnswer) {
  const auto running = start({.max_sequences = 4});
  std::vector<std::thread> threads;
  std::vector<std::string> texts(24);
  for (std::size_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < 4; ++k) {
        Inbox inbox;
        const auto id = running.engine->submit(ask("the same question for all", 50), inbox.callback());
        ASSERT_TRUE(id) << id.error().message;
        running.engine->cancel(*id + 1000);  // nobody
        (void)running.engine->stats();
        EXPECT_EQ(inbox.wait(), Finish::kLength);
        texts[4 * t + k] = inbox.text();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(texts[0].size(), 50U);
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST(EngineThread, RefusesWhatItCannotRun) {
  const auto running = start({.n_context = 100});
  Inbox inbox;
  const auto error_of = [&](Request request) {
    const auto id = running.engine->submit(std::move(request), inbox.callback());
    EXPECT_FALSE(id);
    return id ? Error{} : id.error();
  };
  const Error too_long = error_of(ask(std::string(150, 'a'), 10));
  EXPECT_EQ(too_long.code, ErrorCode::kPromptTooLong);
  EXPECT_NE(too_long.message.find("150 tokens"), std::string::npos) << too_long.message;
  EXPECT_NE(too_long.message.find("context holds 100"), std::string::npos);
  EXPECT_NE(too_long.message.find("151 or more"), std::string::npos);
  EXPECT_EQ(error_of(ask(std::string(100, 'a'), 10)).code, ErrorCode::kPromptTooLong);
  EXPECT_EQ(error_of(ask("", 10)).code, ErrorCode::kInvalidInput);

  const auto with = [](const std::function<void(Request&)>& change) {
    Request request = ask("x", 5);
    change(request);
    return request;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Request> bad = {
      with([](Request& r) { r.prompt = {kFakeVocab}; }),
      with([](Request& r) { r.prompt = {-1}; }),
      with([](Request& r) { r.max_new_tokens = -1; }),
      with([&](Request& r) { r.sample.temperature = nan; }),
      with([](Request& r) { r.sample.temperature = -1; }),
      with([](Request& r) { r.sample.top_p = 1.5F; }),
      with([](Request& r) { r.sample.top_k = -5; }),
      with([](Request& r) { r.sample.repetition_penalty = 0; }),
      with([](Request& r) { r.sample.logit_bias = {{kFakeVocab, 1.0F}}; }),
      with([&](Request& r) { r.sample.logit_bias = {{0, nan}}; }),
      with([](Request& r) { r.stop = {""}; }),
      with([](Request& r) { r.stop = {"\x80"}; }),
      with([](Request& r) { r.stop_tokens = {-3}; }),
      with([](Request& r) { r.thought.close = {12345}; }),
      with([](Request& r) { r.thought.max_tokens = -1; }),
      with([](Request& r) { r.n_top_logprobs = 21; }),
      with([](Request& r) { r.n_prompt_logprobs = 21; }),
      with([](Request& r) { r.total_ms = -1; }),
      with([](Request& r) { r.pooling = Pooling::kMean; }),
      with([](Request& r) { r.idle = true; }),
  };
  for (const Request& request : bad) {
    const Error error = error_of(request);
    EXPECT_EQ(error.code, ErrorCode::kInvalidInput) << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(error_of(with([](Request& r) { r.stop.assign(17, "x"); })).code, ErrorCode::kLimit);
  EXPECT_EQ(error_of(with([](Request& r) { r.stop = {std::string(257, 'x')}; })).code, ErrorCode::kLimit);
  EXPECT_FALSE(running.engine->submit(ask("x", 1), nullptr));
  Inbox good;
  ASSERT_TRUE(running.engine->submit(ask(std::string(99, 'a'), 1 << 30), good.callback()));
  EXPECT_EQ(good.wait(), Finish::kLength);
  EXPECT_EQ(good.text().size(), 1U);
}

TEST(EngineThread, TheQueueIsBoundedAndOpensAgain) {
  Gate gate;
  const auto running = start({.max_sequences = 1, .max_queue = 2}, [&](FakeRunner& runner) {
    runner.before_step = [&gate](const model::Step&) -> Result<void> {
      gate.pass();
      return {};
    };
  });
  Inbox inboxes[5];
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(running.engine->submit(ask("x", 3), inboxes[i].callback()));
  gate.wait_until_reached();
  const auto refused = running.engine->submit(ask("x", 3), inboxes[3].callback());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kQueueFull);
  EXPECT_NE(refused.error().message.find("run and"), std::string::npos) << refused.error().message;
  EXPECT_EQ(running.engine->stats().n_queued + running.engine->stats().n_running, 3);
  gate.open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(inboxes[i].wait(), Finish::kLength);
  EXPECT_TRUE(running.engine->submit(ask("x", 3), inboxes[4].callback()));
  EXPECT_EQ(inboxes[4].wait(), Finish::kLength);
}

TEST(EngineThread, EachClientHasABoundOfItsOwn) {
  Gate gate;
  const auto running = start({.max_sequences = 1, .max_queue_per_client = 2}, [&](FakeRunner& runner) {
    runner.before_step = [&gate](const model::Step&) -> Result<void> {
      gate.pass();
      return {};
    };
  });
  const auto from = [](const char* client) {
    Request request = ask("x", 3);
    request.client = client;
    return request;
  };
  Inbox inboxes[5];
  EXPECT_TRUE(running.engine->submit(from("a"), inboxes[0].callback()));
  EXPECT_TRUE(running.engine->submit(from("a"), inboxes[1].callback()));
  const auto refused = running.engine->submit(from("a"), inboxes[2].callback());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kQueueFull);
  EXPECT_TRUE(running.engine->submit(from("b"), inboxes[3].callback()));
  gate.open();
  for (const int i : {0, 1, 3}) EXPECT_EQ(inboxes[i].wait(), Finish::kLength);
  EXPECT_TRUE(running.engine->submit(from("a"), inboxes[4].callback()));
  EXPECT_EQ(inboxes[4].wait(), Finish::kLength);
}

TEST(EngineThread, IdleWorkNeedsACacheAndIsDoneWithoutBeingCounted) {
  const auto idle = [] {
    Request request = ask(std::string(100, 'h'), 0);
    request.idle = true;
    return request;
  };
  const auto running = start({.max_queue = 0});
  Inbox inbox;
  ASSERT_TRUE(running.engine->submit(idle(), inbox.callback()));
  EXPECT_EQ(inbox.wait(), Finish::kLength);
  const EngineStats stats = running.engine->stats();
  EXPECT_EQ(stats.n_idle_tokens, 100U);
  EXPECT_EQ(stats.n_prefill_tokens, 0U);
  EXPECT_EQ(stats.n_length, 0U);
  EXPECT_EQ(stats.n_idle, 0);
  const auto without = start({.prefix_cache = false});
  const auto refused = without.engine->submit(idle(), inbox.callback());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  Request wrong = idle();
  wrong.max_new_tokens = 5;
  EXPECT_FALSE(running.engine->submit(wrong, inbox.callback()));
}

TEST(EngineThread, CancelEndsARequestThatRunsAndOneThatWaits) {
  const auto running = start({.max_sequences = 1});
  Inbox endless;
  Inbox waiting;
  Inbox healthy;
  const auto first = running.engine->submit(ask("x", 1000), endless.callback());
  const auto second = running.engine->submit(ask("y", 10), waiting.callback());
  const auto third = running.engine->submit(ask("z", 10), healthy.callback());
  ASSERT_TRUE(first && second && third);
  running.engine->cancel(*second);
  EXPECT_EQ(waiting.wait(), Finish::kCancelled);
  endless.wait_for_tokens(3);
  running.engine->cancel(*first);
  EXPECT_NE(endless.wait(), Finish::kRunning);  // it may have come to its end before
  EXPECT_EQ(healthy.wait(), Finish::kLength);
  running.engine->cancel(*first);
}

TEST(EngineThread, ARequestMayBeSubmittedAndCancelledFromACallback) {
  const auto running = start();
  Inbox second;
  Engine& engine = *running.engine;
  std::atomic<bool> submitted = false;
  const auto first = engine.submit(ask("x", 20), [&](const Event& event) {
    if (!submitted.exchange(true)) {
      EXPECT_TRUE(engine.submit(ask("y", 5), second.callback()));
      engine.cancel(event.id);
    }
    return true;
  });
  ASSERT_TRUE(first);
  EXPECT_EQ(second.wait(), Finish::kLength);
}

TEST(EngineThread, AnswerNowReachesARunningRequest) {
  const auto running = start({.n_context = 4000}, [](FakeRunner& runner) {
    runner.script = [](std::span<const TokenId> tokens) -> TokenId {
      const bool closed = std::ranges::find(tokens, kClose) != tokens.end();
      return closed ? (tokens.back() == kClose ? TokenId{'!'} : kEnd)
                    : 'a' + static_cast<TokenId>(tokens.size() * tokens.size() % 23);
    };
  });
  Inbox inbox;
  Request request = ask("x", 3000);
  request.loop_guard = false;
  request.thought = {.starts_inside = true, .open = {kOpen}, .close = {kClose}, .max_tokens = {}, .forced_close = {}};
  const auto id = running.engine->submit(std::move(request), inbox.callback());
  ASSERT_TRUE(id);
  inbox.wait_for_tokens(5);
  running.engine->close_thought(*id);
  EXPECT_EQ(inbox.wait(), Finish::kStop);
  EXPECT_TRUE(inbox.text().ends_with("</think>!"));
}

TEST(EngineThread, ShuttingDownCancelsWhatRunsAndWhatWaits) {
  Inbox inboxes[3];
  {
    const auto running = start({.n_context = 4000, .max_sequences = 1});
    for (Inbox& inbox : inboxes) ASSERT_TRUE(running.engine->submit(ask("x", 4000), inbox.callback()));
    inboxes[0].wait_for_tokens(2);
  }
  for (Inbox& inbox : inboxes) EXPECT_EQ(inbox.wait(), Finish::kCancelled);
}

TEST(EngineThread, StatsTellWhatWasDone) {
  const auto running = start();
  for (int i = 0; i < 2; ++i) {
    Inbox inbox;
    ASSERT_TRUE(running.engine->submit(ask(std::string(200, 'q'), 11), inbox.callback()));
    inbox.wait();
  }
  const EngineStats stats = running.engine->stats();
  EXPECT_EQ(stats.n_running, 0);
  EXPECT_EQ(stats.n_queued, 0);
  EXPECT_EQ(stats.n_context, 1024);
  EXPECT_EQ(stats.kv_pages, 64U);
  EXPECT_EQ(stats.kv_pages_free + stats.kv_pages_cached, 64U);
  EXPECT_EQ(stats.n_prefill_tokens, 201U);
  EXPECT_EQ(stats.n_decode_tokens, 20U);
  EXPECT_EQ(stats.n_cached_tokens, 199U);
  EXPECT_EQ(stats.n_length, 2U);
  EXPECT_EQ(stats.n_answer_tokens, 22U);
  EXPECT_EQ(stats.n_decode_steps, 20U);
  EXPECT_GT(stats.step_seconds, stats.last_step_seconds);
  EXPECT_GT(stats.step_seconds, stats.decode_step_seconds);
  EXPECT_GT(stats.mean_request_seconds, 0);
  EXPECT_EQ(stats.weight_bytes_read, stats.n_steps * 1000);
  EXPECT_EQ(stats.phase_seconds.front().first, "attention");
  EXPECT_EQ(stats.phase_seconds.size(), 4U);
}

TEST(EngineThread, OptionsThatMakeNoSenseAreRefused) {
  for (const EngineOptions& options : {EngineOptions{.max_sequences = 0}, EngineOptions{.max_step_tokens = 0},
                                       EngineOptions{.max_queue = -1}, EngineOptions{.max_sequences = 100000}}) {
    EngineParts parts;
    parts.runner = std::make_unique<FakeRunner>();
    parts.tokenizer = std::make_shared<FakeTokenizer>();
    EngineOptions whole = options;
    whole.n_context = 100;
    whole.kv_bytes = 1 << 20;
    const auto engine = start_engine(std::move(parts), whole);
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace reckon::engine
