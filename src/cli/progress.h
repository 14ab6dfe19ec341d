#pragma once
// A bar on standard error for long work, only where that is a terminal.

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/terminal.h"

namespace reckon::cli {

// "  612 / 1065 MB  1.2 GB/s  0:01 left"; `unit` is "B" for bytes or e.g. "tokens". Pure, for the bar and its test.
[[nodiscard]] std::string progress_text(std::string_view unit, std::uint64_t done, std::uint64_t total, double seconds);
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);  // 612 MB, 1.12 GB

// Draws at most 20 times a second and only once the work has taken 0.3 s; wipes itself at the end.
// Owner: the command. Thread: one at a time (the one that does the work).
class ProgressBar {
 public:
  ProgressBar(Io& io, std::string label, std::string unit);
  ~ProgressBar() { finish(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Io& io_;
  std::string label_;
  std::string unit_;
  Clock::time_point start_;
  Clock::time_point last_;
  bool drawn_ = false;
};

}  // namespace reckon::cli
