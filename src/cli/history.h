#pragma once
// What a person typed before, kept between runs in a file of their own (mode 0600).

#include <filesystem>
#include <string>
#include <vector>

namespace reckon::cli {

class History {
 public:
  static constexpr std::size_t kMaxEntries = 1000;

  // Reads `path` where it exists; an empty path keeps nothing. A damaged or unreadable file is an empty history.
  explicit History(std::filesystem::path path);
  // Appends, unless empty or equal to the last; writes it to the file at once, so that a kill loses nothing.
  void add(const std::string& entry);
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

 private:
  void rewrite() const;
  std::filesystem::path path_;
  std::vector<std::string> entries_;  // oldest first
};

// RECKON_HISTORY if set (empty: none), else $XDG_STATE_HOME/reckon/history, else ~/.local/state/reckon/history.
std::filesystem::path default_history_path();

}  // namespace reckon::cli
