#include "formats/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "formats/gguf.h"
#include "formats/quote.h"
#include "formats/shards.h"

namespace reckon::formats {
namespace {

std::string label_of(const std::filesystem::path& path) { return printable(path.string(), 400); }

std::unexpected<Error> about(std::string_view label, Error error) {
  return fail(error.code, fmt::format("{}: {}", label, error.message));
}

// One opened file. Held by pointer, so that tensors may point to `file`.
struct Shard {
  MappedFile file;
  std::vector<std::byte> memory;  // instead of a file
  std::string label;
  GgufContents contents;
  ShardKeys keys;
};

Result<void> parse(Shard& shard, std::span<const std::byte> bytes) {
  auto contents = parse_gguf(bytes);
  if (!contents) return about(shard.label, std::move(contents).error());
  shard.contents = *std::move(contents);
  auto keys = read_shard_keys(shard.contents.metadata);
  if (!keys) return about(shard.label, std::move(keys).error());
  shard.keys = *keys;
  return {};
}

Result<std::unique_ptr<Shard>> open_shard(const std::filesystem::path& path) {
  auto shard = std::make_unique<Shard>();
  shard->label = label_of(path);
  RECKON_TRY(shard->file, MappedFile::open(path));
  RECKON_TRY_VOID(parse(*shard, shard->file.bytes()));
  return shard;
}

class GgufFile final : public TensorFile {
 public:
  // Shards in order; the first one holds the metadata of the model.
  static Result<std::unique_ptr<TensorFile>> create(std::vector<std::unique_ptr<Shard>> shards, std::string label) {
    auto file = std::make_unique<GgufFile>();
    file->shards_ = std::move(shards);
    file->label_ = std::move(label);
    RECKON_TRY_VOID(file->collect_tensors());
    return file;
  }

  std::string_view label() const override { return label_; }
  const std::vector<Tensor>& tensors() const override { return tensors_; }

  const Tensor* find(std::string_view name) const override {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &tensors_[found->second];
  }

  bool has(std::string_view key) const override { return metadata().find(key) != nullptr; }
  Result<std::optional<std::uint64_t>> get_uint(std::string_view key) const override {
    return named(metadata().get_uint(key));
  }
  Result<std::optional<double>> get_float(std::string_view key) const override {
    return named(metadata().get_float(key));
  }
  Result<std::optional<bool>> get_bool(std::string_view key) const override { return named(metadata().get_bool(key)); }
  Result<std::optional<std::string_view>> get_string(std::string_view key) const override {
    return named(metadata().get_string(key));
  }
  Result<std::optional<std::vector<std::string_view>>> get_strings(std::string_view key) const override {
    return named(metadata().get_strings(key));
  }
  Result<std::optional<std::vector<std::int64_t>>> get_ints(std::string_view key) const override {
    return named(metadata().get_ints(key));
  }
  Result<std::optional<std::vector<float>>> get_floats(std::string_view key) const override {
    return named(metadata().get_floats(key));
  }

  std::vector<std::pair<std::string, std::string>> describe() const override { return metadata().describe(); }

  std::uint64_t file_bytes() const override {
    std::uint64_t sum = 0;
    for (const auto& shard : shards_) sum += shard->file.bytes().size() + shard->memory.size();
    return sum;
  }

 private:
  const Metadata& metadata() const { return shards_.front()->contents.metadata; }

  template <class T>
  Result<T> named(Result<T> result) const {
    if (!result) return about(label_, std::move(result).error());
    return result;
  }

  Result<void> collect_tensors() {
    for (const auto& shard : shards_) {
      const bool mapped = shard->memory.empty();
      const std::span<const std::byte> bytes = mapped ? shard->file.bytes() : std::span<const std::byte>(shard->memory);
      for (GgufTensor& tensor : shard->contents.tensors) {
        tensors_.push_back({.name = std::string(tensor.name),
                            .type = tensor.type,
                            .shape = std::move(tensor.shape),
                            .data = bytes.subspan(tensor.offset, tensor.n_bytes),
                            .file = &shard->file,
                            .offset = tensor.offset});
      }
      shard->contents.tensors = {};
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (index_.emplace(tensors_[i].name, i).second) continue;
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{}: tensor {} is in two shards: they are of different downloads", label_,
                              quote(tensors_[i].name)));
    }
    const auto expected = shards_.front()->keys.n_tensors;
    if (expected && *expected != tensors_.size()) {
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("{}: key 'split.tensors.count': found {}, but the shards hold {} tensors: download them again",
                      label_, *expected, tensors_.size()));
    }
    return {};
  }

  std::vector<std::unique_ptr<Shard>> shards_;
  std::string label_;
  std::vector<Tensor> tensors_;
  std::map<std::string_view, std::size_t> index_;  // names live in tensors_
};

// Names the shards that are not there: one missing file is the usual way a sharded model fails.
Result<void> check_all_there(const std::filesystem::path& folder, const ShardName& name) {
  std::string first_missing;
  std::size_t n_missing = 0;
  for (std::size_t i = 1; i <= name.count; ++i) {
    std::error_code error;
    if (std::filesystem::exists(folder / name.shard(i), error)) continue;
    if (n_missing++ == 0) first_missing = name.shard(i);
  }
  if (n_missing == 0) return {};
  const std::string others = n_missing == 1 ? "" : fmt::format(" and {} more", n_missing - 1);
  return fail(ErrorCode::kNotFound,
              fmt::format("{} of {} shards are missing: {}{}; download them into {}", n_missing, name.count,
                          printable(first_missing), others, folder.empty() ? "." : label_of(folder)));
}

// All shards of the model that `given` is one of.
Result<std::vector<std::unique_ptr<Shard>>> open_others(std::unique_ptr<Shard> given) {
  const std::filesystem::path path = given->file.path();
  const ShardKeys keys = given->keys;
  const auto name = parse_shard_name(path);
  if (!name || name->count != keys.count || name->number != keys.index + 1) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format(
            "{}: this is shard {} of {}, but its name does not end in -{:05}-of-{:05}.gguf, so the others cannot be "
            "found: give all shards their original names",
            given->label, keys.index + 1, keys.count, keys.index + 1, keys.count));
  }
  RECKON_TRY_VOID(check_all_there(path.parent_path(), *name));
  std::vector<std::unique_ptr<Shard>> shards;
  for (std::size_t i = 0; i < keys.count; ++i) {
    if (i == keys.index) {
      shards.push_back(std::move(given));
      continue;
    }
    RECKON_TRY(auto shard, open_shard(path.parent_path() / name->shard(i + 1)));
    if (shard->keys.index != i || shard->keys.count != keys.count) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{}: says it is shard {} of {}, expected {} of {}: download it again", shard->label,
                              shard->keys.index + 1, shard->keys.count, i + 1, keys.count));
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

}  // namespace

std::int64_t Tensor::n_elements() const {
  std::int64_t n = 1;
  for (const std::int64_t dimension : shape) n *= dimension;
  return n;
}

Result<std::unique_ptr<TensorFile>> open_model(const std::filesystem::path& path) {
  std::filesystem::path file = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    RECKON_TRY(file, find_model_in(path));
  }
  RECKON_TRY(auto shard, open_shard(file));
  std::vector<std::unique_ptr<Shard>> shards;
  if (shard->keys.count > 1) {
    RECKON_TRY(shards, open_others(std::move(shard)));
  } else {
    shards.push_back(std::move(shard));
  }
  return GgufFile::create(std::move(shards), label_of(path));
}

Result<std::unique_ptr<TensorFile>> open_model_bytes(std::vector<std::byte> bytes) {
  auto shard = std::make_unique<Shard>();
  shard->label = "the model";
  shard->memory = std::move(bytes);
  RECKON_TRY_VOID(parse(*shard, shard->memory));
  if (shard->keys.count > 1)
    return fail(ErrorCode::kInvalidInput, "the model: this is one shard of several; open it as a file");
  std::vector<std::unique_ptr<Shard>> shards;
  shards.push_back(std::move(shard));
  return GgufFile::create(std::move(shards), "the model");
}

}  // namespace reckon::formats
