#include "cli/prompt_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/result.h"

namespace reckon::cli {
namespace {

constexpr int kHintAfterMs = 2000;

Outcome<std::string> read_all(int fd, const std::string& name, std::size_t limit) {
  std::string text;
  char chunk[65536];
  while (true) {
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n < 0) {
      if (errno == EINTR) continue;
      return stop(Exit::kFailed, fmt::format("{}: {}", name, std::strerror(errno)));
    }
    if (n == 0) return text;
    if (text.size() + static_cast<std::size_t>(n) > limit) {
      return stop(Exit::kLimit, fmt::format("{}: over {} MiB; give a shorter text", name, limit >> 20));
    }
    text.append(chunk, static_cast<std::size_t>(n));
  }
}

bool is_pipe_or_file(int fd) {
  struct stat info = {};
  return ::fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode) || S_ISSOCK(info.st_mode));
}

// Nothing comes for a while: a person should know what we wait for.
void hint_where_slow(Io& io) {
  pollfd ready{io.in_fd, POLLIN, 0};
  if (::poll(&ready, 1, io.in_is_terminal ? 0 : kHintAfterMs) != 0) return;
  io.err.line(io.in_is_terminal ? "reckon: type the prompt, then Ctrl-D on an empty line"
                                : "reckon: waiting for standard input to end (run with </dev/null to do without)");
}

void append(std::string& prompt, std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) return;
  if (!prompt.empty()) prompt += "\n\n";
  prompt += text;
}

}  // namespace

Outcome<std::string> read_file(const std::string& path, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return stop(Exit::kFailed, fmt::format("{}: {}", path, std::strerror(errno)));
  auto text = read_all(fd, path, limit);
  ::close(fd);
  return text;
}

Outcome<std::string> read_prompt(const PromptSources& sources, Io& io) {
  std::string prompt;
  bool from_stdin = false;
  for (const std::string& word : sources.words) {
    if (word == "-") {
      from_stdin = true;
      continue;
    }
    if (!prompt.empty()) prompt += ' ';
    prompt += word;
  }
  for (const std::string& file : sources.files) {
    if (file == "-") {
      from_stdin = true;
      continue;
    }
    RECKON_TRY(const auto text, read_file(file, kMaxPromptBytes));
    append(prompt, text);
  }
  if (!from_stdin && sources.files.empty()) from_stdin = is_pipe_or_file(io.in_fd);
  if (from_stdin) {
    hint_where_slow(io);
    RECKON_TRY(const auto text, read_all(io.in_fd, "standard input", kMaxPromptBytes));
    append(prompt, text);
  }
  if (prompt.size() > kMaxPromptBytes) {
    return stop(Exit::kLimit, fmt::format("the prompt is over {} MiB; give a shorter text", kMaxPromptBytes >> 20));
  }
  if (prompt.empty()) {
    return stop(Exit::kUsage, "no prompt; give the text as an argument in quotes, with -f FILE or on standard input");
  }
  return prompt;
}

}  // namespace reckon::cli
