// From a path to a running engine: each step of loading in the order in which it happens.

#include "model/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "arch/model_config.h"
#include "arch/summary.h"
#include "base/log.h"
#include "engine/engine_thread.h"
#include "engine/load_tokenizer.h"
#include "engine/memory_plan.h"
#include "engine/prompt_results.h"
#include "engine/sample_defaults.h"
#include "formats/tensor_file.h"
#include "sys/bandwidth.h"
#include "sys/cgroup.h"
#include "sys/memory.h"
#include "sys/thread_advice.h"
#include "sys/thread_pool.h"
#include "sys/topology.h"

namespace reckon {
namespace engine {
namespace {

// What the runner reads from for as long as it lives.
struct Foundation {
  std::unique_ptr<formats::TensorFile> file;
  arch::Plan plan;
  std::unique_ptr<sys::ThreadPool> threads;
};

Result<std::unique_ptr<sys::ThreadPool>> start_threads(int n_wanted) {
  int n_threads = n_wanted;
  if (n_wanted == 0) {
    const auto advice =
        sys::recommend_threads(sys::read_topology(), sys::read_cgroup_limits(), sys::thread_wish_of_environment());
    log_line(LogLevel::kInfo, advice.why);
    n_threads = advice.n_threads;
  }
  return sys::ThreadPool::create({.n_threads = n_threads});
}

Result<ModelInfo> describe(const formats::TensorFile& file, const arch::Plan& plan, const arch::ModelSummary& summary) {
  ModelInfo info;
  info.name = summary.name;
  info.architecture = summary.architecture;
  info.quantisation = summary.quantisation;
  info.n_layers = plan.config.n_layers;
  info.n_vocab = plan.config.n_vocab;
  info.n_embd = plan.config.n_embd;
  info.n_context_train = plan.config.n_context_train;
  info.n_parameters = summary.n_parameters;
  info.weight_bytes = summary.bytes_per_token;
  info.kv_bytes_per_token = summary.kv_bytes_per_token;
  RECKON_TRY(const auto chat_template, file.get_string("tokenizer.chat_template"));
  info.chat_template = chat_template.value_or("");
  auto advice = advise_sampling({.architecture = plan.config.architecture,
                                 .name = info.name,
                                 .chat_template = info.chat_template,
                                 .n_parameters = info.n_parameters},
                                summary.sampling);
  info.sample_defaults = std::move(advice.options);
  info.sample_defaults_origin = std::move(advice.origin);
  return info;
}

Result<std::unique_ptr<Engine>> load(const std::filesystem::path& path, const EngineOptions& options,
                                     const OnProgress& on_progress) {
  auto foundation = std::make_shared<Foundation>();
  RECKON_TRY(foundation->file, formats::open_model(path));
  RECKON_TRY(foundation->plan, arch::make_plan(*foundation->file));
  const formats::TensorFile& file = *foundation->file;
  const arch::ModelSummary summary = arch::summarize(file, foundation->plan);

  RECKON_TRY(const MemoryPlan memory, plan_memory({.available_bytes = sys::read_machine_memory().available_bytes,
                                                   .weight_bytes = summary.bytes_per_token,
                                                   .page_bytes = summary.kv_bytes_per_token * kv::kPageTokens,
                                                   .n_context = options.n_context,
                                                   .n_context_train = foundation->plan.config.n_context_train,
                                                   .kv_bytes = options.kv_bytes}));
  if (!memory.note.empty()) log_line(LogLevel::kWarning, memory.note);

  EngineParts parts;
  RECKON_TRY(parts.info, describe(file, foundation->plan, summary));
  RECKON_TRY(parts.tokenizer, load_tokenizer(file));
  RECKON_TRY(foundation->threads, start_threads(options.n_threads));
  parts.n_threads = foundation->threads->size();
  RECKON_TRY(parts.runner, model::load(foundation->plan, *foundation->threads,
                                       {.max_step_tokens = options.max_step_tokens,
                                        .max_step_logits = std::max(options.max_sequences, PromptResults::kMostPerStep),
                                        .max_context = memory.n_context,
                                        .on_progress = on_progress}));
  parts.info.kv_bytes_per_token = parts.runner->page_bytes() / kv::kPageTokens;
  if (options.measure_reads) {
    constexpr int kBudgetMs = 100;
    parts.read_limit = 1e9 * sys::measure_read(*foundation->threads, parts.runner->weights(), kBudgetMs);
  }

  EngineOptions fitted = options;
  fitted.n_context = memory.n_context;
  fitted.kv_bytes = memory.n_pages * parts.runner->page_bytes();
  parts.foundation = std::move(foundation);
  return start_engine(std::move(parts), fitted);
}

// Asked before anything is read: the packing and the buffers of the model rely on it.
Result<void> check_options(const EngineOptions& options) {
  if (options.n_threads < 0 || options.n_threads > 256) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("threads: want 1..256, or 0 to choose, got {}", options.n_threads));
  }
  if (options.max_step_tokens < 1 || options.max_step_tokens > 8192) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("tokens of a step: want 1..8192, got {}", options.max_step_tokens));
  }
  if (options.max_sequences < 1 || options.max_sequences > 1024) {
    return fail(ErrorCode::kInvalidInput, fmt::format("sequences: want 1..1024, got {}", options.max_sequences));
  }
  return {};
}

}  // namespace
}  // namespace engine

Result<std::unique_ptr<Engine>> Engine::load(const std::filesystem::path& path, const EngineOptions& options,
                                             const OnProgress& on_progress) {
  RECKON_TRY_VOID(engine::check_options(options));
  try {
    return engine::load(path, options, on_progress);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "the machine ran out of memory while the model was loaded");
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("loading the model failed: {}", e.what()));
  }
}

}  // namespace reckon
