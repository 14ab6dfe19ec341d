#pragma once
// Tests only: an engine that says what it was told to say, a tokenizer of bytes and a template without a language.

#include <algorithm>
#include <climits>
#include <condition_variable>
#include <list>
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

// Plays requests one after another on one thread, as the engine does; those that wait to be cancelled step aside.
class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(int n_context = 1000) : n_context_(n_context) {
    info_.name = "Fake";
    info_.n_embd = 2;
    info_.sample_defaults.temperature = 0.6f;
    thread_ = std::thread([this] { run(); });
  }
  ~FakeEngine() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  Script script;
  Request last;                 // as submitted
  std::optional<Request> idle;  // the last one that was, which is not played
  int max_requests = INT_MAX;   // ever; then the queue is full
  int max_in_flight = INT_MAX;  // the same
  int most_in_flight = 0;       // seen
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
    if (n_submitted >= max_requests || n_in_flight_ >= max_in_flight)
      return fail(ErrorCode::kQueueFull, "the queue is full");
    const auto id = static_cast<RequestId>(++n_submitted);
    most_in_flight = std::max(most_in_flight, ++n_in_flight_);
    waiting_.push_back({id, std::move(request), script, std::move(on_event)});
    changed_.notify_all();
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
  struct Played {
    RequestId id;
    Request request;
    Script script;
    OnEvent on_event;
  };

  void run() {
    for (;;) {
      Played played;
      bool is_new = false;
      {
        std::unique_lock lock(mutex_);
        std::list<Played>::iterator ended;
        changed_.wait(lock, [&] {
          ended = std::ranges::find_if(aside_, [&](const Played& other) { return is_cancelled(other.id); });
          return ended != aside_.end() || !waiting_.empty() || stopping_;
        });
        is_new = ended == aside_.end();
        if (is_new && waiting_.empty()) return;
        std::list<Played>& from = is_new ? waiting_ : aside_;
        if (is_new) ended = waiting_.begin();
        played = std::move(*ended);
        from.erase(ended);
      }
      if (is_new) {
        play_prompt(played.id, played.request, played.on_event);
        play_pieces(played);
      }
      end(std::move(played));
    }
  }

  [[nodiscard]] bool is_cancelled(RequestId id) const { return stopping_ || cancelled_.contains(id); }

  void play_pieces(const Played& played) {
    Event event;
    event.id = played.id;
    int n_generated = 0;
    const int n_top = played.request.n_top_logprobs;
    for (const std::string& piece : played.script.pieces) {
      const TokenId token = piece.empty() ? 0 : static_cast<unsigned char>(piece.front());
      const TokenLogprob chosen{token, -0.5f};
      const std::vector<TokenLogprob> top(static_cast<std::size_t>(std::max(n_top, 0)), chosen);
      event.text = piece;
      event.tokens = {&token, 1};
      event.in_thought = n_generated < played.script.n_thought;
      if (n_top >= 0) event.logprobs = {&chosen, 1};
      if (n_top > 0) event.top_logprobs = {&top, 1};
      ++n_generated;
      if (!played.on_event(event)) cancel(played.id);
    }
  }

  void end(Played played) {
    bool cancelled = false;
    {
      const std::scoped_lock lock(mutex_);
      cancelled = is_cancelled(played.id);
      if (played.script.wait_for_cancel && !cancelled) {
        aside_.push_back(std::move(played));
        return;
      }
      --n_in_flight_;
    }
    RequestTimings timings;
    timings.n_prompt = static_cast<int>(played.request.prompt.size());
    timings.n_generated = static_cast<int>(played.script.pieces.size());
    timings.n_thought = played.script.n_thought;
    timings.decode_ms = 10.0 * timings.n_generated;
    timings.prefill_ms = 5;
    Event event;
    event.id = played.id;
    event.timings = &timings;
    event.finish = cancelled ? Finish::kCancelled : played.script.finish;
    if (event.finish == Finish::kTimeout) event.time_limit = played.script.time_limit;
    if (event.finish == Finish::kFailed) event.error = &played.script.error;
    played.on_event(event);
  }

  static void play_prompt(RequestId id, const Request& request, const OnEvent& on_event) {
    Event event;
    event.id = id;
    const int n_prompt = static_cast<int>(request.prompt.size());
    event.queue_place = 0;
    if (request.progress_events) on_event(event);
    event.queue_place.reset();
    const PrefillProgress half{.n_done = n_prompt / 2, .n_total = n_prompt, .n_cached = 0};
    event.prefill = &half;
    if (request.progress_events) on_event(event);
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

  ByteTokenizer tokenizer_;
  ModelInfo info_;
  int n_context_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<RequestId> cancelled_;
  std::set<RequestId> closed_;
  std::list<Played> waiting_;
  std::list<Played> aside_;
  int n_in_flight_ = 0;
  bool stopping_ = false;
  std::thread thread_;
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
