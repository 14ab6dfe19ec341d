#pragma once
// Tests only: an engine that says what it was told to say, a tokenizer of bytes and a template without a language.

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reckon/chat.h"
#include "reckon/engine.h"

namespace reckon::server {

// Token = byte.
class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer() {
    for (int i = 0; i < 256; ++i) bytes_.emplace_back(1, static_cast<char>(i));
  }
  [[nodiscard]] std::vector<TokenId> encode(std::span<const Segment> segments, EncodeOptions) const override {
    std::vector<TokenId> ids;
    for (const Segment& segment : segments) {
      for (const char c : segment.text) ids.push_back(static_cast<unsigned char>(c));
    }
    return ids;
  }
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override {
    return id >= 0 && id < 256 ? std::string_view(bytes_[static_cast<std::size_t>(id)]) : std::string_view();
  }
  [[nodiscard]] bool is_control(TokenId) const override { return false; }
  [[nodiscard]] bool is_end_of_generation(TokenId id) const override { return id == 0; }
  [[nodiscard]] int n_vocab() const override { return 256; }
  [[nodiscard]] TokenId bos() const override { return -1; }
  [[nodiscard]] TokenId eos() const override { return 0; }
  [[nodiscard]] bool adds_bos() const override { return false; }
  [[nodiscard]] TokenId find(std::string_view text) const override {
    return text.size() == 1 ? static_cast<unsigned char>(text.front()) : -1;
  }
  [[nodiscard]] std::string_view name() const override { return "bytes"; }

 private:
  std::vector<std::string> bytes_;
};

// What the next request gets.
struct Script {
  std::vector<std::string> pieces;  // one token each
  Finish finish = Finish::kStop;
  Error error;                   // with kFailed
  bool wait_for_cancel = false;  // after the pieces
  int n_thought = 0;             // so many pieces are thought
  TimeLimit time_limit = TimeLimit::kNone;
};

// Plays each request on a thread of its own.
class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(int n_context = 1000) : n_context_(n_context) {
    info_.name = "Fake";
    info_.n_embd = 2;
    info_.sample_defaults.temperature = 0.6f;
  }
  ~FakeEngine() override {
    {
      const std::scoped_lock lock(mutex_);
      cancelled_all_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  Script script;
  Request last;                 // as submitted
  std::optional<Request> idle;  // the last one that was, which is not played
  int max_requests = 100;       // then the queue is full
  int n_submitted = 0;

  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return tokenizer_; }
  Result<RequestId> submit(Request request, OnEvent on_event) override {
    const std::scoped_lock lock(mutex_);
    if (request.idle) {
      idle = request;
      changed_.notify_all();
      return fail(ErrorCode::kQueueFull, "tests end here");
    }
    last = request;
    const int n_prompt = static_cast<int>(request.prompt.size());
    if (n_prompt >= n_context_) return fail(ErrorCode::kPromptTooLong, "the prompt is too long");
    if (n_submitted >= max_requests) return fail(ErrorCode::kQueueFull, "the queue is full");
    const auto id = static_cast<RequestId>(++n_submitted);
    threads_.emplace_back([this, id, request = std::move(request), todo = script, on_event = std::move(on_event)] {
      play(id, request, todo, on_event);
    });
    return id;
  }
  void cancel(RequestId id) override {
    const std::scoped_lock lock(mutex_);
    cancelled_.insert(id);
    changed_.notify_all();
  }
  void close_thought(RequestId id) override {
    const std::scoped_lock lock(mutex_);
    closed_.insert(id);
  }
  [[nodiscard]] std::optional<int> queue_place(RequestId) const override { return std::nullopt; }
  [[nodiscard]] EngineStats stats() const override {
    EngineStats stats;
    stats.n_context = n_context_;
    stats.n_threads = 1;
    return stats;
  }

  Request wait_for_idle() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return idle.has_value(); });
    return *idle;
  }
  [[nodiscard]] bool was_cancelled(RequestId id) const {
    const std::scoped_lock lock(mutex_);
    return cancelled_.contains(id);
  }
  [[nodiscard]] bool was_thought_closed(RequestId id) const {
    const std::scoped_lock lock(mutex_);
    return closed_.contains(id);
  }

 private:
  void play(RequestId id, const Request& request, const Script& todo, const OnEvent& on_event) {
    int n_generated = 0;
    play_prompt(id, request, on_event);
    Event event;
    event.id = id;
    for (const std::string& piece : todo.pieces) {
      const TokenId token = piece.empty() ? 0 : static_cast<unsigned char>(piece.front());
      const TokenLogprob chosen{token, -0.5f};
      const std::vector<TokenLogprob> top(static_cast<std::size_t>(std::max(request.n_top_logprobs, 0)), chosen);
      event.text = piece;
      event.tokens = {&token, 1};
      event.in_thought = n_generated < todo.n_thought;
      if (request.n_top_logprobs >= 0) event.logprobs = {&chosen, 1};
      if (request.n_top_logprobs > 0) event.top_logprobs = {&top, 1};
      ++n_generated;
      if (!on_event(event)) cancel(id);
    }
    RequestTimings timings;
    timings.n_prompt = static_cast<int>(request.prompt.size());
    timings.n_generated = n_generated;
    timings.n_thought = todo.n_thought;
    timings.decode_ms = 10.0 * n_generated;
    timings.prefill_ms = 5;
    Event last_event;
    last_event.id = id;
    last_event.timings = &timings;
    last_event.finish = end_of(id, todo);
    if (last_event.finish == Finish::kTimeout) last_event.time_limit = todo.time_limit;
    if (last_event.finish == Finish::kFailed) last_event.error = &todo.error;
    on_event(last_event);
  }

  static void play_prompt(RequestId id, const Request& request, const OnEvent& on_event) {
    Event event;
    event.id = id;
    const int n_prompt = static_cast<int>(request.prompt.size());
    const PrefillProgress half{.n_done = n_prompt / 2, .n_total = n_prompt, .n_cached = 0};
    event.prefill = &half;
    if (request.prefill_events) on_event(event);
    event.prefill = nullptr;
    std::vector<TokenLogprob> tokens;
    for (const TokenId token : request.prompt) tokens.push_back({token, -1.5f});
    const PromptLogprobs logprobs{.position = 1, .tokens = std::span(tokens).subspan(1), .top = {}};
    event.prompt_logprobs = &logprobs;
    if (request.n_prompt_logprobs >= 0) on_event(event);
    event.prompt_logprobs = nullptr;
    const float embedding[] = {3, 4};
    event.embedding = embedding;
    if (request.pooling != Pooling::kNone) on_event(event);
  }

  Finish end_of(RequestId id, const Script& todo) {
    std::unique_lock lock(mutex_);
    const auto cancelled = [&] { return cancelled_all_ || cancelled_.contains(id); };
    if (todo.wait_for_cancel) changed_.wait(lock, cancelled);
    return cancelled() ? Finish::kCancelled : todo.finish;
  }

  ByteTokenizer tokenizer_;
  ModelInfo info_;
  int n_context_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<RequestId> cancelled_;
  std::set<RequestId> closed_;
  bool cancelled_all_ = false;
  std::vector<std::thread> threads_;
};

// "role: content" a line, then "assistant:".
class FakeTemplate final : public ChatTemplate {
 public:
  explicit FakeTemplate(ThoughtMarks marks = {}, bool starts_in_thought = false)
      : marks_(std::move(marks)), starts_in_thought_(starts_in_thought) {}
  [[nodiscard]] Result<Prompt> render(const std::vector<Message>& messages, const RenderOptions&) const override {
    Prompt prompt;
    for (const Message& message : messages) {
      prompt.segments.push_back({message.role + ": ", true});
      prompt.segments.push_back({message.content + "\n", false});
    }
    prompt.segments.push_back({"assistant:", true});
    prompt.starts_in_thought = starts_in_thought_;
    return prompt;
  }
  [[nodiscard]] const ThoughtMarks& thought_marks() const override { return marks_; }
  [[nodiscard]] std::string_view warning() const override { return {}; }

 private:
  ThoughtMarks marks_;
  bool starts_in_thought_;
};

}  // namespace reckon::server
