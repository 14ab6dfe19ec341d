#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/display_text.h"

namespace reckon::cli {
namespace {

constexpr auto kQuiet = std::chrono::milliseconds(300);
constexpr auto kPeriod = std::chrono::milliseconds(50);

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 359999.0));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(int cells, double share, bool utf8) {
  const int full = std::clamp(static_cast<int>(share * cells + 0.5), 0, cells);
  std::string text;
  for (int i = 0; i < cells; ++i) text += utf8 ? (i < full ? "━" : "─") : (i < full ? "#" : "-");
  return text;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes >= 1'000'000'000) return fmt::format("{:.2f} GB", value / 1e9);
  if (bytes >= 1'000'000) return fmt::format("{:.0f} MB", value / 1e6);
  if (bytes >= 10'000) return fmt::format("{:.0f} kB", value / 1e3);
  return fmt::format("{} B", bytes);
}

std::string progress_text(std::string_view unit, std::uint64_t done, std::uint64_t total, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text = unit == "B" ? fmt::format("{} / {}", bytes_text(done), bytes_text(total))
                                 : fmt::format("{} / {} {}", done, total, unit);
  if (rate > 0) {
    text += unit == "B" ? fmt::format("  {}/s", bytes_text(static_cast<std::uint64_t>(rate)))
                        : fmt::format("  {:.0f} {}/s", rate, unit);
    if (done < total) text += fmt::format("  {} left", clock_text(static_cast<double>(total - done) / rate + 0.5));
  }
  return text;
}

ProgressBar::ProgressBar(Io& io, std::string label, std::string unit)
    : io_(io), label_(std::move(label)), unit_(std::move(unit)), start_(Clock::now()), last_(start_) {}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  if (!io_.err_is_terminal || total == 0) return;
  const auto now = Clock::now();
  if (now - start_ < kQuiet || now - last_ < kPeriod) return;
  last_ = now;
  const Style style(io_.err_colour);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(unit_, std::min(done, total), total, seconds);
  const int cells = std::min(30, io_.width() - display_width(label_) - display_width(text) - 5);
  std::string line = "\r" + label_ + " ";
  if (cells >= 5) {
    const double share = static_cast<double>(std::min(done, total)) / static_cast<double>(total);
    line += fmt::format("{}{}{} ", style.cyan(), bar(cells, share, io_.utf8), style.reset());
  }
  line += text + "\x1b[K";
  io_.err.write(line);
  drawn_ = true;
}

void ProgressBar::finish() {
  if (drawn_) io_.err.write("\r\x1b[K");
  drawn_ = false;
}

}  // namespace reckon::cli
