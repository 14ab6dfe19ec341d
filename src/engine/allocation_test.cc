// Counts what is allocated while sequences decode. Replaces the global operator new of the test program.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/fake_grammar.h"
#include "engine/loop_fixture.h"

namespace {
std::atomic<std::uint64_t> n_allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  n_allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace reckon::engine {
namespace {

TEST_F(LoopTest, FiveHundredStepsOfDecodingAllocateNothing) {
  struct Seen {
    std::size_t n_tokens = 0;
    std::size_t n_bytes = 0;
  } seen[5];
  std::vector<Request> requests(5, ask("a prompt", 600));
  requests[1].sample = {.temperature = 0.8F, .top_k = 50, .top_p = 0.95F, .min_p = 0.01F};
  requests[1].stop = {"never so", "\n\n\n"};
  requests[2].sample = {.temperature = 1.5F, .repetition_penalty = 1.1F, .presence_penalty = 0.5F};
  requests[2].sample.logit_bias = {{'x', 1.0F}};
  requests[2].n_top_logprobs = 20;
  requests[3].thought = {
      .starts_inside = true, .open = {kOpen}, .close = {kClose}, .max_tokens = 200, .forced_close = {}};
  requests[4].grammar = std::make_shared<FakeGrammar>(std::string(700, 'g'));
  requests[4].loop_guard = false;
  requests[4].total_ms = 10'000'000;
  requests[4].client = "another";
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Seen& mine = seen[i];
    loop_->add(std::make_unique<Sequence>(
        i + 1, requests[i],
        [&mine](const Event& event) {
          mine.n_tokens += event.tokens.size();
          mine.n_bytes += event.text.size();
          return true;
        },
        loop_->context()));
  }
  for (int i = 0; i < 10; ++i) loop_->step();
  const std::uint64_t before = n_allocations;
  ASSERT_GT(before, 0U) << "the count does not work";
  for (int i = 0; i < 500; ++i) loop_->step();
  EXPECT_EQ(n_allocations - before, 0U);
  for (const Seen& each : seen) EXPECT_GE(each.n_tokens, 500U);
  loop_->end_all(std::nullopt);
}

}  // namespace
}  // namespace reckon::engine
