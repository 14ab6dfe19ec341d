#pragma once
// For tests: a step loop over the fake model, driven by hand, and what its requests got.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/fake_model.h"
#include "engine/request_check.h"
#include "engine/step_loop.h"

namespace reckon::engine {

// What one callback saw. Checks what holds for every answer.
struct Received {
  std::string text;
  std::string thought;
  std::string content;
  std::vector<TokenId> tokens;
  std::vector<TokenLogprob> logprobs;
  std::vector<std::vector<TokenLogprob>> top_logprobs;
  std::vector<std::string> pieces;
  int n_events = 0;
  Finish finish = Finish::kRunning;
  ThoughtEnd thought_end = ThoughtEnd::kNone;
  TimeLimit time_limit = TimeLimit::kNone;
  std::optional<Error> error;
  RequestTimings timings;
  std::vector<int> places;                      // in the queue
  std::vector<std::vector<int>> progress;       // n_done, n_total, n_cached
  std::map<int, TokenLogprob> prompt_logprobs;  // by position
  std::map<int, std::vector<TokenLogprob>> top_prompt_logprobs;
  std::vector<float> embedding;
  std::function<bool(const Event&)> also;

  bool take(const Event& event) {
    EXPECT_EQ(finish, Finish::kRunning) << "an event after the last";
    ++n_events;
    text += event.text;
    (event.in_thought ? thought : content) += event.text;
    if (!event.text.empty()) pieces.emplace_back(event.text);
    tokens.insert(tokens.end(), event.tokens.begin(), event.tokens.end());
    logprobs.insert(logprobs.end(), event.logprobs.begin(), event.logprobs.end());
    top_logprobs.insert(top_logprobs.end(), event.top_logprobs.begin(), event.top_logprobs.end());
    finish = event.finish;
    thought_end = event.thought_end;
    time_limit = event.time_limit;
    EXPECT_EQ(time_limit != TimeLimit::kNone, finish == Finish::kTimeout);
    take_prompt_parts(event);
    if (event.error != nullptr) error = *event.error;
    EXPECT_EQ(event.timings != nullptr, finish != Finish::kRunning);
    if (event.timings != nullptr) timings = *event.timings;
    return also ? also(event) : true;
  }

  void take_prompt_parts(const Event& event) {
    if (event.queue_place) places.push_back(*event.queue_place);
    if (event.prefill != nullptr) {
      EXPECT_TRUE(event.text.empty() && event.tokens.empty());
      progress.push_back({event.prefill->n_done, event.prefill->n_total, event.prefill->n_cached});
    }
    if (event.prompt_logprobs != nullptr) {
      const PromptLogprobs& part = *event.prompt_logprobs;
      for (std::size_t i = 0; i < part.tokens.size(); ++i) {
        const int position = part.position + static_cast<int>(i);
        EXPECT_TRUE(prompt_logprobs.emplace(position, part.tokens[i]).second) << "told twice";
        if (!part.top.empty()) top_prompt_logprobs[position] = part.top[i];
      }
    }
    if (!event.embedding.empty()) embedding.assign(event.embedding.begin(), event.embedding.end());
  }
};

class LoopTest : public testing::Test {
 protected:
  static constexpr int kPages = 64;

  void SetUp() override { start(); }

  void start(StepLoopOptions options = {}) {
    received_.clear();
    loop_.reset();
    if (options.kv_bytes == 0) options.kv_bytes = runner_.page_bytes() * kPages;
    options.pace = false;
    auto loop = StepLoop::create(runner_, tokenizer_, options);
    ASSERT_TRUE(loop) << loop.error().message;
    loop_ = std::move(*loop);
  }

  static Request ask(std::string_view prompt, int max_new_tokens = 40) {
    Request request;
    request.prompt = bytes_of(prompt);
    request.max_new_tokens = max_new_tokens;
    return request;
  }

  Received& submit(Request request) {
    const auto checked = check_request(request, kFakeVocab, loop_->context().n_context);
    EXPECT_TRUE(checked) << checked.error().message;
    const RequestId id = ++last_id_;
    auto received = std::make_unique<Received>();
    Received& reference = *received;
    received_[id] = std::move(received);
    loop_->add(std::make_unique<Sequence>(
        id, std::move(request), [&reference](const Event& e) { return reference.take(e); }, loop_->context()));
    return reference;
  }

  void run() {
    int n_steps = 0;
    while (loop_->step()) ASSERT_LT(++n_steps, 100000) << "the loop does not end";
  }

  Received& run(Request request) {
    Received& received = submit(std::move(request));
    run();
    return received;
  }

  // The greedy answer by the plainest way.
  std::string reference_answer(std::string_view prompt, int n_tokens) const {
    std::vector<TokenId> tokens = bytes_of(prompt);
    std::string text;
    std::vector<float> logits(kFakeVocab);
    for (int i = 0; i < n_tokens; ++i) {
      runner_.reference_logits(tokens, logits);
      const auto best = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
      if (best == kEnd) break;
      tokens.push_back(best);
      text += tokenizer_.token_bytes(best);
    }
    return text;
  }

  // No page is lost or held twice once nothing runs.
  void expect_all_pages_back() {
    const StepCounters& counters = loop_->counters();
    EXPECT_EQ(counters.n_pages_free + counters.n_pages_cached, static_cast<std::uint64_t>(loop_->pool().n_pages()));
  }

  FakeTokenizer tokenizer_;
  FakeRunner runner_;
  std::unique_ptr<StepLoop> loop_;
  std::map<RequestId, std::unique_ptr<Received>> received_;
  RequestId last_id_ = 0;
};

}  // namespace reckon::engine
