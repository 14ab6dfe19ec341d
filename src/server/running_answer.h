#pragma once
// One answer on its way: one request of a client, n sequences of the engine, one listener. Kept alive by the engine's
// callbacks until the last of them; the client's leaving cancels these sequences and no others. A large batch goes to
// the engine a few at a time, so that it neither fills the queue nor is refused for its size.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reckon/engine.h"
#include "server/text_splitter.h"

namespace reckon::server {

// One token of the answer; only where log probabilities were asked for.
struct TokenText {
  TokenLogprob chosen;
  std::vector<TokenLogprob> top;
  bool in_thought = false;
  bool has_logprob = true;  // false: the first token of a prompt
};

struct Piece {
  TextSplitter::Delta text;
  std::vector<TokenText> tokens;
  [[nodiscard]] bool empty() const { return text.empty() && tokens.empty(); }
};

// One of the n choices, complete. Times in milliseconds since the request came in.
struct ChoiceResult {
  std::string reasoning;
  std::string content;
  std::vector<ToolCall> tool_calls;
  std::vector<TokenText> tokens;
  std::vector<TokenText> prompt_tokens;  // only where their log probabilities were asked for
  std::vector<float> embedding;          // only where asked for
  Finish finish = Finish::kRunning;
  TimeLimit time_limit = TimeLimit::kNone;  // with kTimeout
  ThoughtEnd thought_end = ThoughtEnd::kNone;
  RequestTimings timings;
  double first_token_ms = 0;   // 0: none came
  double first_answer_ms = 0;  // of what is not thought; 0: none came
  double thinking_ms = 0;      // from the first to the last token of thought
  double total_ms = 0;
  std::optional<Error> error;  // with kFailed
};

// Called on the engine thread: hand over, never block.
class AnswerListener {
 public:
  virtual ~AnswerListener() = default;
  // False: nobody reads any more.
  virtual bool on_piece(std::size_t choice, const Piece& piece) = 0;
  // Before the first piece, where the request asks for them: how many requests come first; how far the prompt is.
  virtual void on_queue_place(std::size_t /*choice*/, int /*place*/) {}
  virtual void on_progress(std::size_t /*choice*/, const PrefillProgress& /*progress*/) {}
  virtual void on_choice_end(std::size_t choice, const ChoiceResult& result) = 0;
  virtual void on_end(std::span<const ChoiceResult> choices) = 0;  // last, once
};

// Hands everything on; what stands between an answer and its listener overrides what it looks at.
class ForwardingListener : public AnswerListener {
 public:
  explicit ForwardingListener(std::shared_ptr<AnswerListener> next) : next_(std::move(next)) {}
  bool on_piece(std::size_t choice, const Piece& piece) override { return next_->on_piece(choice, piece); }
  void on_queue_place(std::size_t choice, int place) override { next_->on_queue_place(choice, place); }
  void on_progress(std::size_t choice, const PrefillProgress& progress) override {
    next_->on_progress(choice, progress);
  }
  void on_choice_end(std::size_t choice, const ChoiceResult& result) override { next_->on_choice_end(choice, result); }
  void on_end(std::span<const ChoiceResult> choices) override { next_->on_end(choices); }

 private:
  std::shared_ptr<AnswerListener> next_;
};

class RunningAnswer : public std::enable_shared_from_this<RunningAnswer> {
 public:
  using Clock = std::chrono::steady_clock;
  struct Sequence {
    Request request;
    TextSplitter splitter;
  };
  struct Setup {
    std::string id;
    std::string client;
    Clock::time_point arrival;
    std::shared_ptr<AnswerListener> listener;
    std::function<void()> on_over;  // before on_end, on the engine thread; may be empty
    std::size_t max_in_flight = 8;  // sequences in the engine at once
  };

  RunningAnswer(Engine& engine, Setup setup);

  // Submits the first of them, the others as those end. Where one of the first is refused, none runs and the listener
  // hears nothing more. Called once.
  Result<void> start(std::vector<Sequence> sequences);
  void cancel();          // thread: any
  void close_thoughts();  // "answer now"; thread: any

  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] const std::string& id() const { return setup_.id; }
  [[nodiscard]] const std::string& client() const { return setup_.client; }

 private:
  struct Choice {
    TextSplitter splitter;
    ChoiceResult result;
    double thought_start_ms = -1;
    Request request;  // until it is submitted
  };
  bool on_event(std::size_t index, const Event& event);
  void note_times(Choice& choice, const Event& event) const;
  void take_prompt_events(std::size_t index, const Event& event);
  Result<void> submit(std::size_t index);
  void start_next();
  void end_choice(std::size_t index, const Event& event);
  void end();

  Engine& engine_;
  Setup setup_;
  std::vector<Choice> choices_;  // engine thread, once start() has begun
  std::size_t n_started_ = 0;    // the same
  std::size_t n_left_ = 0;       // the same: not ended
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> refused_{false};
  std::mutex mutex_;
  std::vector<RequestId> ids_;  // guarded by mutex_
};

}  // namespace reckon::server
