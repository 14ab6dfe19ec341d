// What requests get of their prompt: log-probabilities and embeddings.

#include "engine/prompt_results.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/loop_fixture.h"

namespace reckon::engine {
namespace {

std::string words(char seed, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += static_cast<char>('A' + (seed * 7 + i * i + i) % 26);
  return text;
}

class PromptResultsTest : public LoopTest {
 protected:
  static Request echo(std::string_view prompt, int n_top, int from = 0, int max_new_tokens = 0) {
    Request request = ask(prompt, max_new_tokens);
    request.n_prompt_logprobs = n_top;
    request.prompt_logprobs_from = from;
    return request;
  }
  static Request embed(std::string_view prompt, Pooling pooling) {
    Request request = ask(prompt, 0);
    request.pooling = pooling;
    return request;
  }

  void expect_logprobs(const Received& received, std::string_view prompt, int from, int n_top) {
    const auto tokens = bytes_of(prompt);
    const int first = std::max(1, from);
    ASSERT_EQ(received.prompt_logprobs.size(), tokens.size() - static_cast<std::size_t>(first));
    std::vector<float> logits(kFakeVocab);
    for (std::size_t p = static_cast<std::size_t>(first); p < tokens.size(); ++p) {
      runner_.reference_logits(std::span(tokens).first(p), logits);
      double sum = 0;
      for (const float x : logits) sum += std::exp(static_cast<double>(x));
      const TokenLogprob& got = received.prompt_logprobs.at(static_cast<int>(p));
      ASSERT_EQ(got.id, tokens[p]);
      const auto expected = static_cast<double>(logits[static_cast<std::size_t>(got.id)]) - std::log(sum);
      ASSERT_NEAR(static_cast<double>(got.logprob), expected, 1e-4) << p;
      if (n_top == 0) continue;
      const auto& top = received.top_prompt_logprobs.at(static_cast<int>(p));
      ASSERT_EQ(top.size(), static_cast<std::size_t>(n_top));
      ASSERT_EQ(top[0].id, static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin()));
    }
  }

  std::vector<float> reference_embedding(std::string_view prompt, Pooling pooling) {
    const auto tokens = bytes_of(prompt);
    std::vector<double> sums(kFakeEmbd);
    std::vector<float> row(kFakeEmbd);
    const std::size_t first = pooling == Pooling::kLast ? tokens.size() - 1 : 0;
    for (std::size_t p = first; p < tokens.size(); ++p) {
      FakeRunner::reference_hidden(std::span(tokens).first(p + 1), row);
      for (std::size_t i = 0; i < row.size(); ++i) sums[i] += static_cast<double>(row[i]);
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<float>(sums[i] / static_cast<double>(tokens.size() - first));
    }
    return row;
  }
};

TEST_F(PromptResultsTest, EachTokenOfThePromptIsGivenAllBeforeIt) {
  for (const int max_logits : {3, 64}) {
    for (const int max_step_tokens : {5, 100, 512}) {
      for (const int n_top : {0, 3}) {
        runner_.max_logits = max_logits;
        start({.max_sequences = 2, .max_step_tokens = max_step_tokens});
        const std::string prompt = words('p', 150);
        const Received& received = run(echo(prompt, n_top));
        expect_logprobs(received, prompt, 0, n_top);
        EXPECT_EQ(received.finish, Finish::kLength);
        EXPECT_TRUE(received.tokens.empty());
        expect_all_pages_back();
      }
    }
  }
}

TEST_F(PromptResultsTest, NothingIsTakenFromTheCacheButWhatIsBeforeTheFirstAskedFor) {
  const std::string prompt = words('p', 200);
  run(ask(prompt, 5));
  const Received& whole = run(echo(prompt, 0));
  EXPECT_EQ(whole.timings.n_cached, 0);
  expect_logprobs(whole, prompt, 0, 0);
  for (const int from : {1, 64, 65, 150, 199}) {
    const Received& part = run(echo(prompt, 2, from));
    EXPECT_EQ(part.timings.n_cached, from - 1) << "the row before tells of it, so that one is computed";
    expect_logprobs(part, prompt, from, 2);
  }
  EXPECT_TRUE(run(echo(prompt, 0, 200)).prompt_logprobs.empty());
  EXPECT_TRUE(run(echo("x", 0)).prompt_logprobs.empty());
}

TEST_F(PromptResultsTest, AnAnswerMayFollow) {
  const std::string prompt = words('p', 100);
  const Received& received = run(echo(prompt, 1, 0, 20));
  expect_logprobs(received, prompt, 0, 1);
  EXPECT_EQ(received.text, reference_answer(prompt, 20));
}

TEST_F(PromptResultsTest, HoldsInTheCompanyOfOthersAndWhenPutBack) {
  start({.n_context = 600, .max_sequences = 4, .max_step_tokens = 90, .kv_bytes = 12 * runner_.page_bytes()});
  std::vector<std::string> prompts;
  std::vector<Received*> echoes;
  std::vector<Received*> answers;
  std::vector<Received*> embeddings;
  for (int i = 0; i < 4; ++i) {
    prompts.push_back(words(static_cast<char>('a' + i), 250));
    answers.push_back(&submit(ask(prompts.back(), 200)));
    echoes.push_back(&submit(echo(prompts.back(), 2)));
    embeddings.push_back(&submit(embed(prompts.back(), Pooling::kMean)));
  }
  run();
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(answers[i]->text, reference_answer(prompts[i], 200));
    expect_logprobs(*echoes[i], prompts[i], 0, 2);
    EXPECT_EQ(embeddings[i]->embedding, reference_embedding(prompts[i], Pooling::kMean));
  }
  expect_all_pages_back();
}

TEST_F(PromptResultsTest, EmbeddingsPoolAllTokensOrTheLast) {
  for (const int max_step_tokens : {7, 512}) {
    start({.max_step_tokens = max_step_tokens});
    for (const int n : {1, 64, 150}) {
      const std::string prompt = words('e', n);
      run(ask(prompt, 3));  // what is cached must not change the mean
      for (const Pooling pooling : {Pooling::kMean, Pooling::kLast}) {
        const Received& received = run(embed(prompt, pooling));
        EXPECT_EQ(received.embedding, reference_embedding(prompt, pooling)) << n;
        EXPECT_EQ(received.finish, Finish::kLength);
        EXPECT_EQ(received.timings.n_cached, pooling == Pooling::kLast ? n - 1 : 0);
      }
    }
    expect_all_pages_back();
  }
}

TEST_F(PromptResultsTest, ManyEmbeddingsShareTheirSteps) {
  std::vector<Received*> all;
  for (int i = 0; i < 8; ++i) all.push_back(&submit(embed(words(static_cast<char>('a' + i), 30), Pooling::kMean)));
  run();
  EXPECT_EQ(loop_->counters().n_steps, 1U);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->embedding,
              reference_embedding(words(static_cast<char>('a' + i), 30), Pooling::kMean));
  }
}

TEST_F(PromptResultsTest, ACancelledOneEndsWithinAStep) {
  start({.max_step_tokens = 32});
  Received& received = submit(echo(words('p', 500), 0));
  loop_->step();
  loop_->cancel(1);
  loop_->step();
  EXPECT_EQ(received.finish, Finish::kCancelled);
  EXPECT_LT(received.prompt_logprobs.size(), 64U);
  Received& embedding = submit(embed(words('p', 500), Pooling::kMean));
  loop_->step();
  loop_->cancel(2);
  EXPECT_FALSE(loop_->step());
  EXPECT_EQ(embedding.finish, Finish::kCancelled);
  EXPECT_TRUE(embedding.embedding.empty());
  expect_all_pages_back();
}

}  // namespace
}  // namespace reckon::engine
