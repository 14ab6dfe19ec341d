#include "cli/model_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace reckon::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToGet =
    "give one with -m FILE or RECKON_MODEL, or fetch the small default model with script/run (script/get-model for "
    "others)";

// Shards other than the first are no model of their own: name-00002-of-00003.gguf.
bool is_later_shard(const std::string& stem) {
  const auto of = stem.rfind("-of-");
  if (of == std::string::npos || of < 6) return false;
  const std::string number = stem.substr(of - 5, 5);
  return std::ranges::all_of(number, [](unsigned char c) { return c >= '0' && c <= '9'; }) && number != "00001";
}

// Models directly in `dir`: GGUF files, and folders with a config.json.
std::vector<fs::path> models_in(const fs::path& dir) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const fs::path& path = it->path();
    if (it->is_directory(ignored)) {
      if (fs::exists(path / "config.json", ignored)) found.push_back(path);
    } else if (path.extension() == ".gguf" && !is_later_shard(path.stem().string())) {
      found.push_back(path);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::string names_of(const std::vector<fs::path>& paths) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, paths.size()); ++i) {
    names += (i > 0 ? ", " : "") + paths[i].filename().string();
  }
  if (paths.size() > kShown) names += fmt::format(" and {} more", paths.size() - kShown);
  return names;
}

}  // namespace

Outcome<fs::path> find_model(const std::string& flag, const char* env, const fs::path& models_dir) {
  const bool from_env = flag.empty() && env != nullptr && *env != '\0';
  if (!flag.empty() || from_env) {
    const fs::path path = from_env ? fs::path(env) : fs::path(flag);
    std::error_code error;
    if (fs::exists(path, error)) return path;
    const char* origin = from_env ? " (from RECKON_MODEL)" : "";
    const std::string reason = error ? error.message() : "there is no such file or folder";
    const auto others = models_in(models_dir);
    if (!others.empty()) {
      return stop(Exit::kModel, fmt::format("{}{}: {}; {} has {}", path.string(), origin, reason, models_dir.string(),
                                            names_of(others)));
    }
    return stop(Exit::kModel, fmt::format("{}{}: {}; {}", path.string(), origin, reason, kHowToGet));
  }
  const auto found = models_in(models_dir);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return stop(Exit::kModel, fmt::format("no model given and none in ./{}; {}", models_dir.string(), kHowToGet));
  }
  return stop(Exit::kModel, fmt::format("no model given and ./{} has {} ({}); choose one with -m FILE or RECKON_MODEL",
                                        models_dir.string(), found.size(), names_of(found)));
}

}  // namespace reckon::cli
