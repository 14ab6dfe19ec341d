#pragma once
// One answer of the engine, seen from an ordinary thread: submit, wait, hand out text, allow Ctrl-C.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/generation_settings.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "reckon/chat.h"
#include "reckon/engine.h"

namespace reckon::cli {

struct Answer {
  std::string content;
  std::string reasoning;
  Finish finish = Finish::kRunning;
  ThoughtEnd thought_end = ThoughtEnd::kNone;
  RequestTimings timings;
  double first_token_ms = 0;  // from submit to the first text; 0: none came
  double thought_ms = 0;      // from the first to the last piece of thought
  double total_ms = 0;
  std::uint64_t seed = 0;
  int signal = 0;  // SIGINT or SIGTERM where that ended it
};

// A piece of thought or of content; both may be empty, not both filled from before and after a change. False: the
// output is gone, end the request.
using OnText = std::function<bool(const ReasoningParser::Delta&)>;

// Builds the request: tokens of the prompt, sampling, how the thought is bounded.
Request make_request(const Engine& engine, const Prompt& prompt, const ThoughtMarks& marks,
                     const GenerationSettings& settings);

// Blocks until the answer is complete. A request that fails on its way is an error; text that came before it has been
// handed to on_text. `watch` may be null (tests). `patience`: signals to take before the program ends.
struct RunOptions {
  InterruptWatch* watch = nullptr;
  int patience = 1;
};
Outcome<Answer> run_request(Engine& engine, Request request, ReasoningParser parser, const OnText& on_text,
                            const RunOptions& options);

// "41 prompt tokens (20 cached) | first token 0.31 s | 212 tokens, 44.1/s | thought 150, answer 62"
[[nodiscard]] std::string stats_line(const Answer& answer);

}  // namespace reckon::cli
