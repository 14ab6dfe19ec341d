// The whole engine over a small but complete model file: what a request gives does not depend on its company.

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "formats/test_model.h"
#include "reckon/engine.h"

namespace reckon {
namespace {

// Q8_0 blocks: an f16 scale of 2^-8, and 32 codes.
void fill_q8_0(TensorType, std::int64_t n, std::uint64_t seed, std::byte* blocks) {
  constexpr std::int64_t kBlockBytes = 34;
  std::uint64_t x = seed * 0x9e3779b97f4a7c15U + 1;
  for (std::int64_t i = 0; i < n / 32 * kBlockBytes; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    blocks[i] = static_cast<std::byte>(x >> 32);
    if (i % kBlockBytes == 0) blocks[i] = std::byte{0x00};
    if (i % kBlockBytes == 1) blocks[i] = std::byte{0x1c};
  }
}

class RealModel : public testing::Test {
 protected:
  RealModel() {
    path_ = std::filesystem::temp_directory_path() / ("reckon_real_model_" + std::to_string(getpid()) + ".gguf");
    const auto writer = formats::make_test_model({.n_context = 1024}, TensorType::kQ8_0, fill_q8_0);
    EXPECT_TRUE(writer.write(path_));
  }
  ~RealModel() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::unique_ptr<Engine> start(int n_threads, bool prefix_cache) const {
    EngineOptions options;
    options.n_threads = n_threads;
    options.prefix_cache = prefix_cache;
    auto engine = Engine::load(path_, options);
    EXPECT_TRUE(engine) << engine.error().message;
    return std::move(engine).value();
  }

  std::filesystem::path path_;
};

// Four prompts share their first 150 tokens, so that a cache has something to hit.
std::vector<TokenId> prompt_of(int i) {
  std::vector<TokenId> out;
  for (int t = 0; t < 150; ++t) out.push_back((t * 37 + 11 + (i < 4 ? 0 : i)) % 300);
  for (int t = 0; t < 20 + 9 * i; ++t) out.push_back((t * 13 + i * 101) % 300);
  return out;
}

class Answers {
 public:
  explicit Answers(std::size_t n) : tokens_(n), n_running_(n) {}

  void ask(Engine& engine, std::size_t i) {
    Request request;
    request.prompt = prompt_of(static_cast<int>(i));
    request.max_new_tokens = 48;
    request.ignore_eos = true;
    request.loop_guard = false;
    const auto id = engine.submit(std::move(request), [this, i](const Event& event) {
      const std::scoped_lock lock(mutex_);
      tokens_[i].insert(tokens_[i].end(), event.tokens.begin(), event.tokens.end());
      if (event.timings != nullptr) n_cached_ += event.timings->n_cached;
      if (event.finish != Finish::kRunning) {
        EXPECT_EQ(event.finish, Finish::kLength);
        --n_running_;
        done_.notify_all();
      }
      return true;
    });
    ASSERT_TRUE(id) << id.error().message;
  }
  void wait(std::size_t n_left) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return n_running_ <= n_left; });
  }
  [[nodiscard]] const std::vector<std::vector<TokenId>>& tokens() const { return tokens_; }
  [[nodiscard]] int n_cached() const { return n_cached_; }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<std::vector<TokenId>> tokens_;
  std::size_t n_running_;
  int n_cached_ = 0;
};

TEST_F(RealModel, eight_greedy_answers_are_the_same_together_alone_with_any_threads_and_with_cache_hits) {
  std::vector<std::vector<TokenId>> expected;
  for (const int n_threads : {1, 2}) {
    for (const bool prefix_cache : {false, true}) {
      const auto engine = start(n_threads, prefix_cache);
      Answers alone(8);
      for (std::size_t i = 0; i < 8; ++i) {
        alone.ask(*engine, i);
        alone.wait(7 - i);
      }
      Answers together(8);
      for (std::size_t i = 0; i < 8; ++i) together.ask(*engine, i);
      together.wait(0);
      if (expected.empty()) expected = alone.tokens();
      for (const auto& tokens : expected) EXPECT_EQ(tokens.size(), 48U);
      EXPECT_EQ(alone.tokens(), expected) << n_threads << " threads";
      EXPECT_EQ(together.tokens(), expected) << n_threads << " threads";
      EXPECT_EQ(alone.n_cached() > 0, prefix_cache);
      EXPECT_EQ(together.n_cached() > 0, prefix_cache);
    }
  }
}

// Runs one request to its end.
void ask_and_wait(Engine& engine, Request request, const std::function<void(const Event&)>& see) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  const auto id = engine.submit(std::move(request), [&](const Event& event) {
    const std::scoped_lock lock(mutex);
    see(event);
    is_done = event.finish != Finish::kRunning;
    ended.notify_all();
    return true;
  });
  ASSERT_TRUE(id) << id.error().message;
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return is_done; });
}

TEST_F(RealModel, an_answer_read_back_as_a_prompt_has_the_log_probabilities_it_was_chosen_with) {
  const auto engine = start(2, true);
  Request request;
  request.prompt = prompt_of(0);
  request.max_new_tokens = 100;
  request.ignore_eos = true;
  request.loop_guard = false;
  request.n_top_logprobs = 2;
  request.sample = {.temperature = 2, .seed = 3};
  Request echo;
  echo.prompt = request.prompt;
  echo.max_new_tokens = 0;
  echo.n_prompt_logprobs = 2;
  echo.prompt_logprobs_from = static_cast<int>(request.prompt.size());
  std::vector<float> chosen;
  std::vector<TokenId> likeliest;
  ask_and_wait(*engine, request, [&](const Event& event) {
    echo.prompt.insert(echo.prompt.end(), event.tokens.begin(), event.tokens.end());
    for (const TokenLogprob& token : event.logprobs) chosen.push_back(token.logprob);
    for (const auto& top : event.top_logprobs) likeliest.push_back(top[0].id);
  });
  ASSERT_EQ(chosen.size(), 100U);
  std::vector<float> read_back;
  std::vector<TokenId> likeliest_back;
  int n_cached = 0;
  ask_and_wait(*engine, echo, [&](const Event& event) {
    if (event.timings != nullptr) n_cached = event.timings->n_cached;
    if (event.prompt_logprobs == nullptr) return;
    for (const TokenLogprob& token : event.prompt_logprobs->tokens) read_back.push_back(token.logprob);
    for (const auto& top : event.prompt_logprobs->top) likeliest_back.push_back(top[0].id);
  });
  EXPECT_EQ(read_back, chosen) << "bit for bit";
  EXPECT_EQ(likeliest_back, likeliest);
  EXPECT_EQ(n_cached, static_cast<int>(request.prompt.size()) - 1);
}

TEST_F(RealModel, an_embedding_does_not_depend_on_how_its_prompt_is_cut) {
  std::vector<float> expected[2];
  for (const int max_step_tokens : {512, 13}) {
    EngineOptions options;
    options.max_step_tokens = max_step_tokens;
    auto engine = Engine::load(path_, options);
    ASSERT_TRUE(engine) << engine.error().message;
    for (const Pooling pooling : {Pooling::kMean, Pooling::kLast}) {
      Request request;
      request.prompt = prompt_of(3);
      request.max_new_tokens = 0;
      request.pooling = pooling;
      std::vector<float> got;
      ask_and_wait(**engine, request, [&](const Event& event) {
        if (!event.embedding.empty()) got.assign(event.embedding.begin(), event.embedding.end());
      });
      EXPECT_EQ(got.size(), static_cast<std::size_t>((*engine)->info().n_embd));
      auto& first = expected[pooling == Pooling::kMean ? 0 : 1];
      if (first.empty()) first = got;
      EXPECT_EQ(got, first);
    }
  }
  EXPECT_NE(expected[0], expected[1]);
}

}  // namespace
}  // namespace reckon
