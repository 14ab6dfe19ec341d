#include "engine/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "kv/page_pool.h"

namespace reckon::engine {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kBuffers = 96 * kMiB;   // logits, activations of one step, vocabulary, the program itself
constexpr std::uint64_t kReserve = 256 * kMiB;  // left to the system, or a tenth of what is free
constexpr int kDefaultContext = 8192;
constexpr int kLeastContext = 1024;  // a chosen context is not cut below this
constexpr int kMostContext = 1 << 20;

std::string size(std::uint64_t bytes) {
  if (bytes >= 1024 * kMiB)
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(1024 * kMiB));
  return fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::uint64_t pages_for(int n_tokens) {
  return (static_cast<std::uint64_t>(n_tokens) + kv::kPageTokens - 1) / kv::kPageTokens;
}

int tokens_in(std::uint64_t n_pages) {
  return static_cast<int>(std::min<std::uint64_t>(n_pages, kMostContext / kv::kPageTokens) * kv::kPageTokens);
}

// How many pages fit beside the weights.
std::uint64_t pages_that_fit(const MemoryWish& wish) {
  if (wish.available_bytes == 0) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t taken = wish.weight_bytes + kBuffers + std::min(kReserve, wish.available_bytes / 10);
  return wish.available_bytes > taken ? (wish.available_bytes - taken) / wish.page_bytes : 0;
}

std::unexpected<Error> too_little_memory(const MemoryWish& wish, int n_context, std::uint64_t n_pages,
                                         std::uint64_t fit) {
  const std::string remedy = tokens_in(fit) >= kLeastContext
                                 ? fmt::format("take a context of {} or less, or close other programs", tokens_in(fit))
                                 : "take a smaller model or quantisation, or close other programs";
  return fail(
      ErrorCode::kOutOfMemory,
      fmt::format("weights and buffers need {} and the cache for a context of {} tokens {}, but {} are free: {}",
                  size(wish.weight_bytes + kBuffers), n_context, size(n_pages * wish.page_bytes),
                  size(wish.available_bytes), remedy));
}

Result<MemoryPlan> plan_given_pool(const MemoryWish& wish, int n_context, std::uint64_t fit) {
  MemoryPlan plan{.n_context = n_context, .n_pages = wish.kv_bytes / wish.page_bytes, .note = ""};
  if (plan.n_pages > fit) return too_little_memory(wish, n_context, plan.n_pages, fit);
  if (plan.n_pages >= pages_for(n_context)) return plan;
  if (wish.n_context > 0 || plan.n_pages == 0) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("a cache of {} holds {} tokens, less than the context of {}: give it {} or take a shorter context",
                    size(wish.kv_bytes), tokens_in(plan.n_pages), n_context,
                    size(pages_for(n_context) * wish.page_bytes)));
  }
  plan.n_context = tokens_in(plan.n_pages);
  plan.note = fmt::format("the context is cut to {} tokens, which is what a cache of {} holds", plan.n_context,
                          size(wish.kv_bytes));
  return plan;
}

}  // namespace

Result<MemoryPlan> plan_memory(const MemoryWish& wish) {
  RECKON_CHECK(wish.page_bytes > 0);
  if (wish.n_context < 0 || wish.n_context > kMostContext) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the context: want 1..{} tokens, got {}", kMostContext, wish.n_context));
  }
  const int trained = wish.n_context_train > 0 ? wish.n_context_train : kDefaultContext;
  const int n_context = wish.n_context > 0 ? wish.n_context : std::min(kDefaultContext, trained);
  const std::uint64_t fit = pages_that_fit(wish);
  if (wish.kv_bytes > 0) return plan_given_pool(wish, n_context, fit);

  MemoryPlan plan{.n_context = n_context, .n_pages = std::min(2 * pages_for(n_context), fit), .note = ""};
  if (plan.n_pages >= pages_for(n_context)) {
    if (n_context > trained) {
      plan.note = fmt::format("a context of {} tokens is longer than the {} that the model was trained for", n_context,
                              trained);
    }
    return plan;
  }
  const bool may_cut = wish.n_context == 0 && tokens_in(fit) >= std::min(kLeastContext, n_context);
  if (!may_cut) return too_little_memory(wish, n_context, pages_for(n_context), fit);
  plan.n_context = tokens_in(fit);
  plan.note = fmt::format("the context is cut from {} to {} tokens: {} are free, weights and buffers take {}",
                          n_context, plan.n_context, size(wish.available_bytes), size(wish.weight_bytes + kBuffers));
  return plan;
}

}  // namespace reckon::engine
