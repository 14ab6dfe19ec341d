#pragma once
// Where the time of a step goes. Thread 0 stamps the clock at every phase's end.

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reckon::model {

enum class Phase : std::uint8_t {
  kEmbed,      // embedding rows
  kNorm,       // norms and quantisation of activations
  kQkv,        // query, key and value matrices
  kRope,       // bias, head norms, rotation, writing keys and values to pages
  kAttention,  // scores, weights and values
  kOutput,     // attention output matrix
  kGateUp,     // gate and up matrices, SwiGLU
  kDown,       // down matrix
  kHead,       // logits
  kCount,
};

class PhaseTimer {
 public:
  void start() { last_ = Clock::now(); }
  // The time since the last call, waiting at the barrier included, belongs to `phase`.
  void end(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> seconds() const {
    static constexpr const char* kNames[] = {"embed",  "norm",    "qkv",  "rope", "attention",
                                             "output", "gate_up", "down", "head"};
    std::vector<std::pair<std::string, double>> out;
    for (std::size_t i = 0; i < seconds_.size(); ++i) out.emplace_back(kNames[i], seconds_[i]);
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
  std::array<double, static_cast<std::size_t>(Phase::kCount)> seconds_{};
};

}  // namespace reckon::model
