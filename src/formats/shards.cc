#include "formats/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

#include "formats/quote.h"

namespace reckon::formats {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::size_t kMaxListed = 8;

std::optional<std::size_t> parse_five_digits(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 5 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The names of a folder's models, one for each set of shards: "name.gguf", "name-00001-of-00003.gguf".
Result<std::set<std::string>> list_models(const std::filesystem::path& folder, bool& has_safetensors) {
  std::set<std::string> models;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".safetensors")) has_safetensors = true;
    if (!name.ends_with(kExtension) || name.starts_with("mmproj") || name.starts_with('.')) continue;
    const auto shard = parse_shard_name(name);
    models.insert(shard ? shard->shard(1) : name);
  }
  if (error)
    return fail(ErrorCode::kIo,
                fmt::format("{}: cannot list the folder: {}", printable(folder.string(), 400), error.message()));
  return models;
}

}  // namespace

std::string ShardName::shard(std::size_t i) const {
  return fmt::format("{}-{:05}-of-{:05}{}", base, i, count, kExtension);
}

std::optional<ShardName> parse_shard_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::size_t kSuffix = std::string_view("-00001-of-00003.gguf").size();
  if (name.size() <= kSuffix) return std::nullopt;
  const std::string_view suffix = std::string_view(name).substr(name.size() - kSuffix);
  const auto number = parse_five_digits(suffix.substr(1, 5));
  const auto count = parse_five_digits(suffix.substr(10, 5));
  const bool shaped = suffix[0] == '-' && suffix.substr(6, 4) == "-of-" && suffix.ends_with(kExtension);
  if (!shaped || !number || !count || *number < 1 || *number > *count) return std::nullopt;
  return ShardName{name.substr(0, name.size() - kSuffix), *number, *count};
}

Result<ShardKeys> read_shard_keys(const Metadata& metadata) {
  RECKON_TRY(const auto count, metadata.get_uint("split.count"));
  RECKON_TRY(const auto index, metadata.get_uint("split.no"));
  RECKON_TRY(const auto n_tensors, metadata.get_uint("split.tensors.count"));
  ShardKeys keys;
  if (count.value_or(1) > kMaxShards) {
    return fail(ErrorCode::kLimit,
                fmt::format("key 'split.count': found {}, expected up to {}: the file is damaged", *count, kMaxShards));
  }
  keys.count = std::max<std::size_t>(1, static_cast<std::size_t>(count.value_or(1)));
  if (index.value_or(0) >= keys.count) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("key 'split.no': found {}, expected less than split.count = {}: the file is damaged",
                            *index, keys.count));
  }
  keys.index = static_cast<std::size_t>(index.value_or(0));
  if (n_tensors) keys.n_tensors = static_cast<std::size_t>(*n_tensors);
  return keys;
}

Result<std::filesystem::path> find_model_in(const std::filesystem::path& folder) {
  bool has_safetensors = false;
  RECKON_TRY(const auto models, list_models(folder, has_safetensors));
  if (models.size() == 1) return folder / *models.begin();
  const std::string where = printable(folder.string(), 400);
  if (models.empty()) {
    return fail(
        ErrorCode::kNotFound,
        fmt::format("{}: no .gguf file in this folder{}", where,
                    has_safetensors ? ", only safetensors: convert them, or download a .gguf file of the model" : ""));
  }
  std::string names;
  std::size_t n_listed = 0;
  for (const std::string& name : models) {
    if (++n_listed > kMaxListed) break;
    names += (names.empty() ? "" : ", ") + printable(name);
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("{}: {} models in this folder ({}{}): name the file", where,
                                                    models.size(), names, models.size() > kMaxListed ? ", ..." : ""));
}

}  // namespace reckon::formats
