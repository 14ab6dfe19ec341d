// `reckon logits`: the raw logits of a list of tokens, for tests and comparisons.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/display_text.h"
#include "cli/model_runtime.h"
#include "cli/progress.h"

namespace reckon::cli {
namespace {

struct LogitsFlags {
  ModelFlags model;
  std::string tokens;
  std::string out;
};

constexpr std::size_t kMaxTokens = 1u << 20;

Outcome<std::vector<TokenId>> parse_tokens(std::string_view list, int n_vocab) {
  std::vector<TokenId> tokens;
  while (true) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, end);
    TokenId id = 0;
    const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc{} || stopped != word.data() + word.size() || id < 0 || id >= n_vocab) {
      return stop(Exit::kUsage, fmt::format("--tokens: want token ids from 0 to {} with commas between, got '{}'",
                                            n_vocab - 1, cut_to_width(one_line(word), 40)));
    }
    tokens.push_back(id);
    if (tokens.size() > kMaxTokens) return stop(Exit::kLimit, fmt::format("--tokens: at most {}", kMaxTokens));
    if (end == list.size()) return tokens;
    list.remove_prefix(end + 1);
  }
}

std::string partial_name(const std::string& path) { return path + ".partial"; }

// A file that appears under its name only once it is complete; "-" is standard output.
class RowFile {
 public:
  static Outcome<RowFile> open(const std::string& path, Io& io) {
    if (path == "-") return RowFile(&io.out, "", -1);
    const std::string fresh = partial_name(path);
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return stop(Exit::kFailed, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return RowFile(nullptr, path, fd);
  }
  RowFile(RowFile&& other) noexcept
      : stream_(other.stream_), path_(std::move(other.path_)), own_(other.own_), fd_(std::exchange(other.fd_, -1)) {}
  RowFile& operator=(RowFile&&) = delete;
  ~RowFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(partial_name(path_).c_str());
  }

  Outcome<void> write(std::span<const float> values) {
    Output& output = stream_ != nullptr ? *stream_ : own_;
    const auto bytes = std::as_bytes(values);
    if (output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) return {};
    if (output.broken_pipe()) return stop(Exit::kPipe, "the reader of the logits went away");
    return stop(Exit::kFailed,
                fmt::format("{}: {}", path_.empty() ? "standard output" : path_, std::strerror(output.error_number())));
  }

  Outcome<void> commit() {
    if (fd_ < 0) return {};
    ::close(std::exchange(fd_, -1));
    std::error_code error;
    std::filesystem::rename(partial_name(path_), path_, error);
    if (!error) return {};
    ::unlink(partial_name(path_).c_str());
    return stop(Exit::kFailed, fmt::format("cannot write {}: {}", path_, error.message()));
  }

 private:
  RowFile(Output* stream, std::string path, int fd) : stream_(stream), path_(std::move(path)), own_(fd), fd_(fd) {}
  Output* stream_;
  std::string path_;
  Output own_;
  int fd_;
};

// A signal ends the program without destructors: takes the unfinished file away then.
class RemoveOnSignal {
 public:
  RemoveOnSignal(InterruptWatch* watch, const std::string& path) : watch_(path == "-" ? nullptr : watch) {
    if (watch_ != nullptr) watch_->set_cleanup([fresh = partial_name(path)] { ::unlink(fresh.c_str()); });
  }
  ~RemoveOnSignal() {
    if (watch_ != nullptr) watch_->set_cleanup({});
  }
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  InterruptWatch* watch_;
};

Outcome<Exit> logits(const LogitsFlags& flags, Context& context) {
  RECKON_TRY(auto runtime, load_runtime(flags.model, static_cast<int>(kMaxTokens), context));
  RECKON_TRY(const auto tokens, parse_tokens(flags.tokens, runtime.runner->n_vocab()));
  RECKON_TRY(const auto sequences, make_sequences(runtime, 1, static_cast<int>(tokens.size())));
  const RemoveOnSignal remove(context.watch, flags.out);
  RECKON_TRY(auto file, RowFile::open(flags.out, context.io));
  const int step = std::min(runtime.runner->max_step_tokens(), runtime.runner->max_step_logits());
  const int n_tokens = static_cast<int>(tokens.size());
  std::vector<float> rows;
  ProgressBar bar(context.io, "logits", "tokens");
  for (int start = 0; start < n_tokens; start += step) {
    const int n = std::min(step, n_tokens - start);
    rows.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(runtime.runner->n_vocab()));
    const model::StepSpan span{
        .tokens = std::span(tokens).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(n)),
        .start = start,
        .pages = sequences.front().covering(start + n),
        .n_logits = n};
    const auto done = runtime.runner->run({{&span, 1}}, *runtime.pages, rows);
    if (!done) return std::unexpected(in_stage(Stage::kWork, done.error()));
    RECKON_TRY_VOID(file.write(rows));
    bar.update(static_cast<std::uint64_t>(start + n), static_cast<std::uint64_t>(n_tokens));
  }
  RECKON_TRY_VOID(file.commit());
  return Exit::kOk;
}

}  // namespace

Command add_logits(CLI::App& root) {
  const auto flags = std::make_shared<LogitsFlags>();
  CLI::App* app = root.add_subcommand("logits", "Write the raw logits behind each of a list of tokens.");
  add_model_flag(*app, flags->model);
  add_thread_flag(*app, flags->model);
  app->add_option("--tokens", flags->tokens, "token ids with commas between")
      ->type_name("IDS")
      ->required()
      ->group("Input");
  app->add_option("-o,--out", flags->out,
                  "float32 in this machine's byte order, one row of the vocabulary a token; '-' is standard output")
      ->type_name("FILE")
      ->required()
      ->group("Output");
  app->footer(
      "Examples:\n"
      "  reckon logits -m model.gguf --tokens 9707,11,1879 --out rows.f32\n"
      "  python3 -c 'import numpy as n; print(n.fromfile(\"rows.f32\", n.float32).reshape(3, -1).argmax(1))'\n");
  return {app, [flags](Context& context) { return logits(*flags, context); }};
}

}  // namespace reckon::cli
