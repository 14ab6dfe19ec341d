// What streams of one engine cost each other, on a real model: how the throughput of decoding grows with their number,
// and how long the gaps between the tokens of one become while a long prompt is computed beside it.
//   reckon_engine_streams_bench MODEL.gguf [tokens of the prompt [threads]]

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "engine/sequence.h"
#include "reckon/engine.h"

namespace reckon::engine {
namespace {

std::vector<TokenId> prompt_of(const Engine& engine, int seed, int n) {
  std::vector<TokenId> tokens;
  unsigned x = static_cast<unsigned>(seed) * 2654435761U + 1;
  for (int i = 0; i < n; ++i) {
    x = x * 1664525U + 1013904223U;
    tokens.push_back(static_cast<TokenId>(100 + (x >> 16) % static_cast<unsigned>(engine.info().n_vocab / 2)));
  }
  return tokens;
}

// When each token of one request came.
class Stream {
 public:
  void start(Engine& engine, std::vector<TokenId> prompt, int max_new_tokens) {
    Request request;
    request.prompt = std::move(prompt);
    request.max_new_tokens = max_new_tokens;
    request.ignore_eos = true;
    request.loop_guard = false;
    const auto id = engine.submit(std::move(request), [this](const Event& event) {
      const std::scoped_lock lock(mutex_);
      for (std::size_t i = 0; i < event.tokens.size(); ++i) times_.push_back(Clock::now());
      is_done_ = event.finish != Finish::kRunning;
      changed_.notify_all();
      return true;
    });
    if (!id) fmt::print(stderr, "{}\n", id.error().message);
    id_ = id.value_or(0);
  }
  void wait_for_tokens(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return times_.size() >= n || is_done_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_done_; });
  }
  [[nodiscard]] RequestId id() const { return id_; }
  std::vector<Clock::time_point> times() {
    const std::scoped_lock lock(mutex_);
    return times_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Clock::time_point> times_;
  bool is_done_ = false;
  RequestId id_ = 0;
};

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// Tokens a second while all n streams decode.
double throughput(Engine& engine, int n, int n_tokens) {
  std::vector<Stream> streams(static_cast<std::size_t>(n));
  int seed = 100 * n;
  for (Stream& stream : streams) stream.start(engine, prompt_of(engine, ++seed, 24), n_tokens);
  for (Stream& stream : streams) stream.wait();
  Clock::time_point first{};
  Clock::time_point last = Clock::time_point::max();
  for (Stream& stream : streams) first = std::max(first, stream.times().front());
  for (Stream& stream : streams) last = std::min(last, stream.times().back());
  int n_between = 0;
  for (Stream& stream : streams) {
    for (const auto time : stream.times()) n_between += time > first && time <= last ? 1 : 0;
  }
  return n_between / seconds(first, last);
}

void gaps_beside_a_prompt(Engine& engine, int n_prompt) {
  Stream runs;
  runs.start(engine, prompt_of(engine, 1, 24), 3000);
  runs.wait_for_tokens(40);
  const auto begin = Clock::now();
  Stream other;
  other.start(engine, prompt_of(engine, 2, n_prompt), 1);
  other.wait();
  const auto end = other.times().front();
  engine.cancel(runs.id());
  runs.wait();
  const auto times = runs.times();
  std::vector<double> alone;
  std::vector<double> beside;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double gap = seconds(times[i - 1], times[i]);
    if (times[i] < begin) alone.push_back(gap);
    if (times[i - 1] >= begin && times[i] <= end) beside.push_back(gap);
  }
  fmt::print(
      "gaps of one stream: alone median {:.1f} ms | beside a prompt of {}: median {:.1f}, p99 {:.1f}, max {:.1f} ms"
      " ({} gaps) | p99 is {:.2f}x that median, {:.2f}x alone | prompt {:.0f} tokens/s\n",
      1e3 * quantile(alone, 0.5), n_prompt, 1e3 * quantile(beside, 0.5), 1e3 * quantile(beside, 0.99),
      1e3 * quantile(beside, 1), beside.size(), quantile(beside, 0.99) / quantile(beside, 0.5),
      quantile(beside, 0.99) / quantile(alone, 0.5), n_prompt / seconds(begin, end));
}

int bench(const char* path, int n_prompt, int n_threads) {
  auto engine = Engine::load(path, {.n_threads = n_threads, .n_context = 6144});
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().message);
    return 1;
  }
  throughput(**engine, 1, 8);  // warm
  const double one = throughput(**engine, 1, 40);
  fmt::print("1 stream: {:.1f} tokens/s\n", one);
  for (const int n : {4, 8}) {
    const double many = throughput(**engine, n, 40);
    fmt::print("{} streams: {:.1f} tokens/s, {:.2f}x\n", n, many, many / one);
  }
  std::fflush(stdout);
  gaps_beside_a_prompt(**engine, n_prompt);
  return 0;
}

}  // namespace
}  // namespace reckon::engine

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines show as they come, in a file too
  if (argc < 2) {
    fmt::print(stderr, "usage: {} MODEL.gguf [tokens of the prompt [threads]]\n", argv[0]);
    return 2;
  }
  return reckon::engine::bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 4096, argc > 3 ? std::atoi(argv[3]) : 0);
}
