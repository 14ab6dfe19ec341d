#pragma once
// Tests only: an engine that says what it was told to say, a tokenizer of bytes and a template without a language.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reckon/chat.h"
#include "reckon/engine.h"

namespace reckon::cli {

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
  std::vector<std::string> pieces;
  Finish finish = Finish::kStop;
  Error error;                   // with kFailed
  bool wait_for_cancel = false;  // after the pieces
  int n_thought = 0;
};

class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(int n_context = 1000) : n_context_(n_context) {
    info_.name = "Fake";
    info_.sample_defaults.temperature = 0.6f;
  }
  ~FakeEngine() override {
    cancel(0);
    if (thread_.joinable()) thread_.join();
  }

  Script script;
  Request last;  // as submitted

  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return tokenizer_; }
  Result<RequestId> submit(Request request, OnEvent on_event) override {
    if (thread_.joinable()) thread_.join();
    last = request;
    const int n_prompt = static_cast<int>(request.prompt.size());
    if (n_prompt >= n_context_) return fail(ErrorCode::kPromptTooLong, "the prompt is too long");
    cancelled_ = false;
    thread_ = std::thread(
        [this, n_prompt, todo = script, on_event = std::move(on_event)] { play(todo, n_prompt, on_event); });
    return 1;
  }
  void cancel(RequestId) override {
    const std::scoped_lock lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void close_thought(RequestId) override {}
  [[nodiscard]] std::optional<int> queue_place(RequestId) const override { return std::nullopt; }
  [[nodiscard]] EngineStats stats() const override {
    EngineStats stats;
    stats.n_context = n_context_;
    stats.n_threads = 1;
    return stats;
  }

 private:
  void play(const Script& todo, int n_prompt, const OnEvent& on_event) {
    int n_generated = 0;
    Event event;
    event.id = 1;
    for (const std::string& piece : todo.pieces) {
      event.text = piece;
      ++n_generated;
      if (!on_event(event)) cancel(1);
    }
    event.text = {};
    std::unique_lock lock(mutex_);
    if (todo.wait_for_cancel) changed_.wait(lock, [&] { return cancelled_; });
    event.finish = cancelled_ ? Finish::kCancelled : todo.finish;
    lock.unlock();
    RequestTimings timings;
    timings.n_prompt = n_prompt;
    timings.n_generated = n_generated;
    timings.n_thought = todo.n_thought;
    timings.decode_ms = 10.0 * n_generated;
    timings.prefill_ms = 5;
    event.timings = &timings;
    if (event.finish == Finish::kFailed) event.error = &todo.error;
    on_event(event);
  }

  ByteTokenizer tokenizer_;
  ModelInfo info_;
  int n_context_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
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

}  // namespace reckon::cli
