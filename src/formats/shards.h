#pragma once
// A model cut into several files: "name-00001-of-00003.gguf" ...
// Source: llama.cpp's gguf-split. Names count from 1, the key split.no counts from 0.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "formats/metadata.h"

namespace reckon::formats {

inline constexpr std::size_t kMaxShards = 1024;

struct ShardName {
  std::string base;        // "name"
  std::size_t number = 0;  // from 1
  std::size_t count = 0;

  [[nodiscard]] std::string shard(std::size_t i) const;  // file name of shard i, from 1
};

// Empty where the file name is not that of a shard.
std::optional<ShardName> parse_shard_name(const std::filesystem::path& path);

// What the file says about itself.
struct ShardKeys {
  std::size_t index = 0;                 // split.no, from 0
  std::size_t count = 1;                 // split.count
  std::optional<std::size_t> n_tensors;  // split.tensors.count, over all shards
};
Result<ShardKeys> read_shard_keys(const Metadata& metadata);

// The one model in a folder, as the path of its file or first shard. kNotFound where there is none; kInvalidInput
// where there are several, with their names. Vision projectors (mmproj*) do not count.
Result<std::filesystem::path> find_model_in(const std::filesystem::path& folder);

}  // namespace reckon::formats
