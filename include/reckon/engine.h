#pragma once
// The engine: a model file, loaded once, answering many requests at the same time on one machine.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reckon/result.h"
#include "reckon/sampling.h"
#include "reckon/tokenizer.h"

namespace reckon {

using RequestId = std::uint64_t;

enum class Finish : std::uint8_t {
  kRunning,
  kStop,        // the model ended its turn, or a stop string or stop token came
  kLength,      // max_new_tokens, or the context is full
  kRepetition,  // the loop guard ended an exact loop
  kCancelled,   // cancel(), or on_event returned false
  kFailed,      // see Event::error
};

// How the thought of a reasoning model is bounded. The token ids come from the caller, who knows the template.
struct ThoughtOptions {
  bool starts_inside = false;         // the prompt ends inside an open thought
  std::vector<TokenId> open;          // ids of <think>; empty: the model has no thoughts
  std::vector<TokenId> close;         // ids of </think>
  std::optional<int> max_tokens;      // budget; then `forced_close` is fed in as if the model had written it
  std::vector<TokenId> forced_close;  // e.g. a sentence and </think>; empty: same as `close`
  int answer_reserve = 0;  // the thought is closed once no more than these tokens of max_new_tokens are left after that
};

// Why the last thought of an answer ended.
enum class ThoughtEnd : std::uint8_t {
  kNone,    // it did not: still open, or there was none
  kModel,   // the model closed it
  kBudget,  // ThoughtOptions::max_tokens or answer_reserve
  kLoop,    // the loop guard: it only repeated itself
  kAsked,   // close_thought()
};

struct Event;
// On the engine thread: hand over, never block. False cancels the request. Each request that submit() took gets exactly
// one last event (`finish` is set), whatever happens, also after false; what is returned for that one does not matter.
using OnEvent = std::function<bool(const Event&)>;

struct Request {
  std::vector<TokenId> prompt;  // at least one token
  SampleOptions sample;
  ThoughtOptions thought;
  int max_new_tokens = 256;          // thought and answer together; always cut to what the context leaves; 0: none
  int min_new_tokens = 0;            // no end of generation and no stop string or token before
  bool ignore_eos = false;           // end-of-generation tokens are never chosen
  std::vector<std::string> stop;     // the answer ends before the first match; at most 16 of 256 bytes each
  bool stop_in_thought = true;       // whether `stop` counts inside of a thought as well
  std::vector<TokenId> stop_tokens;  // end the answer and do not show; at most 64
  bool loop_guard = true;            // an exact loop ends the thought (once), and outside of it the answer
  int n_top_logprobs = -1;           // -1: none; 0: of the chosen token only; at most 20
};

// Where the time of a request went, in milliseconds.
struct RequestTimings {
  double queue_ms = 0;    // from submit() until its first step was planned
  double prefill_ms = 0;  // until the first token was chosen
  double decode_ms = 0;   // until the end
  int n_prompt = 0;
  int n_cached = 0;  // prompt tokens taken from the prefix cache
  int n_generated = 0;
  int n_thought = 0;  // of n_generated, tokens inside the thought
};

// One piece of an answer. Views end with the call.
// `text` is the raw text of the answer with the marks of its thought, so that joined texts are the whole answer. No
// event mixes thought and answer: the closing mark is the last of the thought, an opening mark is the last of what is
// outside. Text may lag behind tokens: bytes that may become a character or a stop string are held back.
struct Event {
  RequestId id = 0;
  std::string_view text;                   // whole characters; stop strings, stop tokens and control tokens never show
  std::span<const TokenId> tokens;         // ids since the last event, also of what does not show
  std::span<const TokenLogprob> logprobs;  // one per token, if asked for; 0 for tokens that were fed in
  std::span<const std::vector<TokenLogprob>> top_logprobs;  // one list per token, if asked for
  bool in_thought = false;                                  // text and tokens belong to the thought
  ThoughtEnd thought_end = ThoughtEnd::kNone;               // from the event on in which the thought ended
  Finish finish = Finish::kRunning;                         // otherwise the last event of the request
  const Error* error = nullptr;                             // with kFailed
  const RequestTimings* timings = nullptr;                  // with the last event
};

// What a model is, for people and for defaults.
struct ModelInfo {
  std::string name;          // general.name, or the file's name
  std::string architecture;  // qwen2, llama, qwen3
  std::string quantisation;  // Q4_K_M ...
  int n_layers = 0;
  int n_vocab = 0;
  int n_context_train = 0;
  std::uint64_t n_parameters = 0;
  std::uint64_t weight_bytes = 0;  // read for each token when one sequence decodes
  std::uint64_t kv_bytes_per_token = 0;
  std::string chat_template;           // Jinja source; empty: none
  SampleOptions sample_defaults;       // from the file's metadata; for R1 0.6 / 0.95
  std::string sample_defaults_origin;  // "the model file", "DeepSeek-R1's model card" ...
};

// Called on the loading thread with bytes done and in total.
using OnProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct EngineOptions {
  int n_threads = 0;      // 0: physical cores within affinity and cgroup quota
  int n_context = 0;      // tokens of one sequence; 0: min(8192, what the model was trained for)
  int max_sequences = 8;  // that run at the same time
  std::size_t kv_bytes =
      0;  // of the whole pool; 0: room for 2 full contexts, cut to free memory; holds the prefix cache too
  int max_step_tokens = 512;
  int max_queue = 64;
  bool prefix_cache = true;
};

struct EngineStats {
  int n_threads = 0;
  int n_context = 0;
  int n_running = 0;
  int n_queued = 0;
  std::uint64_t kv_bytes = 0;
  std::uint64_t kv_pages = 0;
  std::uint64_t kv_pages_free = 0;
  std::uint64_t kv_pages_cached = 0;  // known to the prefix cache, in use or not
  std::uint64_t n_steps = 0;
  std::uint64_t n_prefill_tokens = 0;
  std::uint64_t n_decode_tokens = 0;
  std::uint64_t n_cached_tokens = 0;
  std::uint64_t n_loops_stopped = 0;
  std::uint64_t n_preemptions = 0;  // sequences put back because the pool was full, to be computed again
  // Seconds by phase, summed over steps (the ledger of the doctor): those of the forward pass, then schedule, sample
  // and deliver. While the engine works they may be one call old.
  std::vector<std::pair<std::string, double>> phase_seconds;
};

class Engine {  // owns one engine thread and its compute threads; all members are thread-safe
 public:
  // Loads the file (or any shard, or a folder) and allocates the pool. One line of error with the remedy.
  static Result<std::unique_ptr<Engine>> load(const std::filesystem::path& path, const EngineOptions& options,
                                              const OnProgress& on_progress = {});
  virtual ~Engine() = default;  // cancels what runs, then joins

  [[nodiscard]] virtual const ModelInfo& info() const = 0;
  [[nodiscard]] virtual const Tokenizer& tokenizer() const = 0;

  // kPromptTooLong, kQueueFull, kInvalidInput, kLimit, kCancelled (shutting down).
  virtual Result<RequestId> submit(Request request, OnEvent on_event) = 0;
  virtual void cancel(RequestId id) = 0;  // takes effect after the running step; an id that is gone is no error
  // Ends the thought of a running request within one token ("answer now").
  virtual void close_thought(RequestId id) = 0;
  [[nodiscard]] virtual EngineStats stats() const = 0;
};

}  // namespace reckon
