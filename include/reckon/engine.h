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

class Grammar;

using RequestId = std::uint64_t;

enum class Finish : std::uint8_t {
  kRunning,
  kStop,        // the model ended its turn, or a stop string or stop token came
  kLength,      // max_new_tokens, or the context is full
  kRepetition,  // the loop guard ended an exact loop
  kCancelled,   // cancel(), or on_event returned false
  kFailed,      // see Event::error
  kTimeout,     // a limit of the request was over, see Event::time_limit
};

// Which limit of a request was over.
enum class TimeLimit : std::uint8_t {
  kNone,
  kQueue,       // Request::queue_ms
  kFirstToken,  // Request::first_token_ms
  kTotal,       // Request::total_ms
};

// What becomes of the final hidden states of a prompt.
enum class Pooling : std::uint8_t {
  kNone,
  kMean,  // of all tokens
  kLast,  // that of the last token
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
  // What the answer must obey, from where the thought is closed or at once where none is open; the thought is free.
  // Null: nothing. Its vocabulary must be that of the model.
  std::shared_ptr<const Grammar> grammar = nullptr;

  // Limits of time since submit(). Over: the request ends with kTimeout within a step, wherever it is.
  std::optional<int> queue_ms = {};        // until it is taken into a step for the first time
  std::optional<int> first_token_ms = {};  // until the first token (or the end, where there will be none)
  std::optional<int> total_ms = {};
  // Requests of one client wait for each other; clients take turns. Any name, at most 256 bytes; "" is one too.
  std::string client = {};
  // Work for the next turn: the prompt is computed while nothing else wants the engine, and kept for whoever asks with
  // the same start. Gives way to all others within one small step; ends with kCancelled as soon as the same client asks
  // for real or memory gets short. Needs max_new_tokens 0 and a prefix cache. Not counted by max_queue.
  bool idle = false;

  bool progress_events = false;      // tell the place in the queue when it changes, then how far the prompt is
  int n_prompt_logprobs = -1;        // of the prompt's tokens; -1: none; 0: of each token only; at most 20 likeliest
  int prompt_logprobs_from = 0;      // none for tokens before; those may come from the prefix cache
  Pooling pooling = Pooling::kNone;  // asks for an embedding of the prompt. Needs max_new_tokens 0
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

// How far a prompt is.
struct PrefillProgress {
  int n_done = 0;  // tokens, n_cached included
  int n_total = 0;
  int n_cached = 0;
};

// Log-probabilities of consecutive tokens of the prompt, each given all tokens before it. Views end with the call.
struct PromptLogprobs {
  int position = 0;                                // of the first of them in the prompt; 0 is never told of
  std::span<const TokenLogprob> tokens;            // at most 64
  std::span<const std::vector<TokenLogprob>> top;  // one list per token, likeliest first; empty for n = 0
};

// One piece of an answer. Views end with the call.
// `text` is the raw text of the answer with the marks of its thought, so that joined texts are the whole answer. No
// event mixes thought and answer: the closing mark is the last of the thought, an opening mark is the last of what is
// outside. Text may lag behind tokens: bytes that may become a character or a stop string are held back.
struct Event {
  RequestId id = 0;
  std::string_view text = {};            // whole characters; stop strings, stop tokens and control tokens never show
  std::span<const TokenId> tokens = {};  // ids since the last event, also of what does not show
  std::span<const TokenLogprob> logprobs = {};  // one per token, if asked for; 0 for tokens that were fed in
  std::span<const std::vector<TokenLogprob>> top_logprobs = {};  // one list per token, if asked for
  bool in_thought = false;                                       // text and tokens belong to the thought
  ThoughtEnd thought_end = ThoughtEnd::kNone;                    // from the event on in which the thought ended
  Finish finish = Finish::kRunning;                              // otherwise the last event of the request
  TimeLimit time_limit = TimeLimit::kNone;                       // with kTimeout
  const Error* error = nullptr;                                  // with kFailed
  const RequestTimings* timings = nullptr;                       // with the last event
  std::optional<int> queue_place = {};              // an event of its own, if asked for: so many come first
  const PrefillProgress* prefill = nullptr;         // an event of its own, if asked for, once a step
  const PromptLogprobs* prompt_logprobs = nullptr;  // events of their own, in order, if asked for
  std::span<const float> embedding = {};  // an event of its own, if asked for: [ModelInfo::n_embd], not normalised
};

// What a model is, for people and for defaults.
struct ModelInfo {
  std::string name;          // general.name, or the file's name
  std::string architecture;  // qwen2, llama, qwen3
  std::string quantisation;  // Q4_K_M ...
  int n_layers = 0;
  int n_vocab = 0;
  int n_embd = 0;
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
  int max_queue_per_client = 0;  // that wait or run; 0: only max_queue counts
  bool prefix_cache = true;
  bool measure_reads = false;  // at start, a tenth of a second long: EngineStats::read_limit
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
  std::uint64_t n_preemptions = 0;     // sequences put back because the pool was full, to be computed again
  int n_idle = 0;                      // requests with Request::idle that run or wait; in no other count
  std::uint64_t n_idle_tokens = 0;     // computed for them; not in n_prefill_tokens
  std::uint64_t n_thought_tokens = 0;  // of those generated
  std::uint64_t n_answer_tokens = 0;
  // Requests that ended, by how; `idle` ones are not counted.
  std::uint64_t n_stopped = 0;
  std::uint64_t n_length = 0;
  std::uint64_t n_repetition = 0;
  std::uint64_t n_cancelled = 0;
  std::uint64_t n_failed = 0;
  std::uint64_t n_timeouts_queue = 0;
  std::uint64_t n_timeouts_first_token = 0;
  std::uint64_t n_timeouts_total = 0;
  double last_step_seconds = 0;
  double step_seconds = 0;         // of all steps: forward pass alone
  double decode_step_seconds = 0;  // of those that only decoded
  std::uint64_t n_decode_steps = 0;
  std::uint64_t weight_bytes_read = 0;  // in all steps, each of which reads the weights once
  double read_limit = 0;  // bytes a second at which the threads could read the weights at start; 0: not measured
  // For an estimate of when there is room again: how long requests took from their first step to their end, as a moving
  // average; 0 while none has ended.
  double mean_request_seconds = 0;
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

  // kPromptTooLong, kQueueFull, kInvalidInput, kUnsupported, kLimit, kCancelled (shutting down).
  virtual Result<RequestId> submit(Request request, OnEvent on_event) = 0;
  virtual void cancel(RequestId id) = 0;  // takes effect after the running step; an id that is gone is no error
  // Ends the thought of a running request within one token ("answer now").
  virtual void close_thought(RequestId id) = 0;
  [[nodiscard]] virtual EngineStats stats() const = 0;
};

}  // namespace reckon
