#include "cli/generation.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/thought_options.h"

namespace reckon::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What the engine thread hands over.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> texts;
  bool done = false;
  bool abandoned = false;  // nobody listens any more
  Finish finish = Finish::kRunning;
  ThoughtEnd thought_end = ThoughtEnd::kNone;
  RequestTimings timings;
  std::optional<Error> error;

  bool put(const Event& event) {
    const std::scoped_lock lock(mutex);
    if (!event.text.empty()) texts.emplace_back(event.text);
    thought_end = event.thought_end;
    if (event.timings != nullptr) timings = *event.timings;
    if (event.error != nullptr) error = *event.error;
    if (event.finish != Finish::kRunning) {
      finish = event.finish;
      done = true;
    }
    changed.notify_one();
    return !abandoned;
  }

  // Next text, or nothing once the request is over and all texts are taken.
  std::optional<std::string> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done || !texts.empty(); });
    if (texts.empty()) return std::nullopt;
    std::string text = std::move(texts.front());
    texts.pop_front();
    return text;
  }
};

// Takes Ctrl-C for as long as it lives.
class CancelOnSignal {
 public:
  CancelOnSignal(Engine& engine, RequestId id, const RunOptions& options) : watch_(options.watch) {
    if (watch_ == nullptr) return;
    watch_->set_handler(
        [this, &engine, id](int signal) {
          signal_ = signal;
          engine.cancel(id);
        },
        options.patience);
  }
  ~CancelOnSignal() {
    if (watch_ != nullptr) watch_->set_handler({});
  }
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
  [[nodiscard]] int signal() const { return signal_; }

 private:
  InterruptWatch* watch_;
  std::atomic<int> signal_{0};
};

void take_delta(Answer& answer, const ReasoningParser::Delta& delta, Clock::time_point start, double& thought_start) {
  answer.content += delta.content;
  answer.reasoning += delta.reasoning;
  const double now = ms_since(start);
  if (!delta.reasoning.empty()) {
    if (thought_start < 0) thought_start = now;
    answer.thought_ms = now - thought_start;
  }
}

}  // namespace

Request make_request(const Engine& engine, const Prompt& prompt, const ThoughtMarks& marks,
                     const GenerationSettings& settings) {
  const Tokenizer& tokenizer = engine.tokenizer();
  Request request;
  request.prompt = tokenizer.encode(prompt.segments, {.add_bos = tokenizer.adds_bos()});
  request.sample = sample_options(settings, engine.info().sample_defaults);
  request.max_new_tokens = settings.max_tokens.value_or(std::numeric_limits<int>::max() / 2);
  request.ignore_eos = settings.ignore_eos;
  request.stop = settings.stop;
  request.loop_guard = settings.loop_guard;
  if (!marks.open.empty()) {
    request.stop_in_thought = false;  // a stop string is about the answer
    request.thought = engine::thought_options(tokenizer, {.open = marks.open,
                                                          .close = marks.close,
                                                          .starts_inside = prompt.starts_in_thought,
                                                          .budget = settings.think_budget});
  }
  return request;
}

Outcome<Answer> run_request(Engine& engine, Request request, ReasoningParser parser, const OnText& on_text,
                            const RunOptions& options) {
  Answer answer;
  answer.seed = request.sample.seed;
  double thought_start = -1;
  // Shared: the engine may still hold the callback after a failure here.
  const auto mailbox = std::make_shared<Mailbox>();
  const auto start = Clock::now();
  const auto id = engine.submit(std::move(request), [mailbox](const Event& event) { return mailbox->put(event); });
  if (!id) return std::unexpected(in_stage(Stage::kWork, id.error()));
  bool listening = true;
  {
    const CancelOnSignal cancel(engine, *id, options);
    const auto hand_out = [&](const ReasoningParser::Delta& delta) {
      if (delta.content.empty() && delta.reasoning.empty()) return;
      take_delta(answer, delta, start, thought_start);
      if (listening && !on_text(delta)) {
        listening = false;
        engine.cancel(*id);
      }
    };
    while (const auto text = mailbox->take()) {
      if (answer.first_token_ms == 0) answer.first_token_ms = ms_since(start);
      hand_out(parser.push(*text));
    }
    hand_out(parser.finish());
    answer.signal = cancel.signal();
  }
  answer.total_ms = ms_since(start);
  answer.finish = mailbox->finish;
  answer.thought_end = mailbox->thought_end;
  answer.timings = mailbox->timings;
  if (answer.finish == Finish::kFailed) {
    return std::unexpected(in_stage(
        Stage::kWork, mailbox->error.value_or(Error{ErrorCode::kInternal, "the engine gave up without a reason"})));
  }
  return answer;
}

std::string stats_line(const Answer& answer) {
  const RequestTimings& t = answer.timings;
  std::string line = fmt::format("{} prompt tokens", t.n_prompt);
  if (t.n_cached > 0) line += fmt::format(" ({} cached)", t.n_cached);
  if (const int fresh = t.n_prompt - t.n_cached; t.prefill_ms > 0 && fresh > 1) {
    line += fmt::format(", {:.0f}/s", fresh / t.prefill_ms * 1000);
  }
  if (answer.first_token_ms > 0) line += fmt::format(" | first token {:.2f} s", answer.first_token_ms / 1000);
  line += fmt::format(" | {} tokens", t.n_generated);
  // The first token comes with the prefill; the others are what decoding made.
  if (t.decode_ms > 0 && t.n_generated > 1) line += fmt::format(", {:.1f}/s", (t.n_generated - 1) / t.decode_ms * 1000);
  if (t.n_thought > 0) line += fmt::format(" | thought {}, answer {}", t.n_thought, t.n_generated - t.n_thought);
  return line;
}

}  // namespace reckon::cli
