#include "cli/model_runtime.h"

#include <fmt/format.h>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/machine_limits.h"
#include "cli/progress.h"

namespace reckon::cli {

Outcome<ModelRuntime> load_runtime(const ModelFlags& flags, int max_context, Context& context) {
  RECKON_TRY(const auto path, model_of(flags));
  ModelRuntime runtime;
  CLI_TRY(runtime.file, Stage::kLoad, formats::open_model(path));
  CLI_TRY(runtime.plan, Stage::kLoad, arch::make_plan(*runtime.file));
  const int n_threads = flags.n_threads > 0 ? flags.n_threads : default_threads();
  CLI_TRY(runtime.threads, Stage::kLoad, sys::ThreadPool::create({.n_threads = n_threads}));
  ProgressBar bar(context.io, "loading " + cut_to_width(one_line(path.filename().string()), 30), "B");
  model::LoadOptions options;
  options.max_context = max_context;
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  CLI_TRY(runtime.runner, Stage::kLoad, model::load(runtime.plan, *runtime.threads, options));
  return runtime;
}

Outcome<std::vector<SequencePages>> make_sequences(ModelRuntime& runtime, int n_sequences, int n_tokens) {
  const int pages_each = (n_tokens + kv::kPageTokens - 1) / kv::kPageTokens;
  const int n_pages = n_sequences * pages_each;
  runtime.pages.reset();
  const std::size_t page_bytes = runtime.runner->page_bytes();
  CLI_TRY(runtime.pages, Stage::kWork,
          kv::PagePool::create(page_bytes, page_bytes * static_cast<std::size_t>(n_pages), n_pages));
  std::vector<SequencePages> sequences(static_cast<std::size_t>(n_sequences));
  for (SequencePages& sequence : sequences) {
    for (int i = 0; i < pages_each; ++i) {
      const auto page = runtime.pages->take();
      if (!page) return stop(Exit::kMemory, "no room for the keys and values of this test; make it shorter");
      sequence.pages.push_back(*page);
    }
  }
  return sequences;
}

}  // namespace reckon::cli
