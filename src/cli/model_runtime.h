#pragma once
// A model without the engine around it: for commands that measure or look at single steps.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/model_config.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "formats/tensor_file.h"
#include "kv/page_pool.h"
#include "model/load.h"
#include "model/runner.h"
#include "sys/thread_pool.h"

namespace reckon::cli {

// One sequence's pages. Positions are written by steps; running a position again overwrites it.
struct SequencePages {
  std::vector<kv::PageId> pages;
  [[nodiscard]] std::span<const kv::PageId> covering(int n_tokens) const {
    const int n = (n_tokens + kv::kPageTokens - 1) / kv::kPageTokens;
    return std::span(pages).first(static_cast<std::size_t>(n));
  }
};

// Members in the order they are made: each borrows from those above it.
struct ModelRuntime {
  std::unique_ptr<formats::TensorFile> file;
  arch::Plan plan;
  std::unique_ptr<sys::ThreadPool> threads;
  std::unique_ptr<model::Runner> runner;
  std::optional<kv::PagePool> pages;

  // Bytes of keys and values that one position holds.
  [[nodiscard]] std::uint64_t kv_bytes_per_token() const {
    return runner->page_bytes() / static_cast<std::size_t>(kv::kPageTokens);
  }
};

// Opens and packs the model, with a progress bar. Exit::kModel, kMemory.
Outcome<ModelRuntime> load_runtime(const ModelFlags& flags, int max_context, Context& context);

// Room for `n_sequences` of `n_tokens` each; replaces what was there before.
Outcome<std::vector<SequencePages>> make_sequences(ModelRuntime& runtime, int n_sequences, int n_tokens);

}  // namespace reckon::cli
