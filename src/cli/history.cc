#include "cli/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <utility>

#include "cli/display_text.h"
#include "cli/prompt_input.h"
#include "cli/terminal.h"

namespace reckon::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxFile = 16u << 20;

// One entry a line: a newline is \n, a backslash is \\.
std::string escaped(const std::string& entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\\') {
      line += "\\\\";
    } else {
      line += c;
    }
  }
  return line + "\n";
}

std::string unescaped(std::string_view line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      entry += line[i] == 'n' ? '\n' : line[i];
    } else {
      entry += line[i];
    }
  }
  return without_controls(entry);
}

void write_file(const fs::path& path, int flags, std::string_view text) {
  const int fd = ::open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  Output(fd).write(text);
  ::close(fd);
}

}  // namespace

History::History(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  const auto text = read_file(path_.string(), kMaxFile);
  if (!text) return;
  std::size_t start = 0;
  while (start < text->size()) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    if (end > start) entries_.push_back(unescaped(std::string_view(*text).substr(start, end - start)));
    start = end + 1;
  }
  if (entries_.size() > kMaxEntries) {
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(kMaxEntries));
    rewrite();
  }
}

void History::add(const std::string& entry) {
  if (entry.empty() || (!entries_.empty() && entries_.back() == entry)) return;
  entries_.push_back(entry);
  if (path_.empty()) return;
  std::error_code ignored;
  const fs::path folder = path_.parent_path();
  if (!folder.empty() && !fs::exists(folder, ignored)) {
    fs::create_directories(folder, ignored);
    fs::permissions(folder, fs::perms::owner_all, ignored);
  }
  write_file(path_, O_APPEND, escaped(entry));
}

void History::rewrite() const {
  std::string text;
  for (const std::string& entry : entries_) text += escaped(entry);
  const fs::path fresh = path_.string() + ".new";
  write_file(fresh, O_TRUNC, text);
  std::error_code ignored;
  fs::rename(fresh, path_, ignored);
}

fs::path default_history_path() {
  if (const char* own = std::getenv("RECKON_HISTORY")) return own;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return fs::path(state) / "reckon" / "history";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".local" / "state" / "reckon" / "history";
  }
  return {};
}

}  // namespace reckon::cli
