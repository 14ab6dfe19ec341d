#pragma once
// A read-only view of a model file, whatever its container: metadata and named tensors, all checked.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/tensor_type.h"

namespace reckon::formats {

using reckon::TensorType;
using reckon::type_info;
using reckon::TypeInfo;

struct Tensor {
  std::string name;
  TensorType type;
  std::vector<std::int64_t> shape;  // as in the file: shape[0] is the contiguous dimension (columns), 1..4 entries
  std::span<const std::byte> data;  // exactly the bytes of the tensor, inside a mapped file
  // Which file it lies in, for will_need/done_with. Null only in a Tensor that no TensorFile made; of a model in memory
  // it is an empty file, on which both do nothing.
  const MappedFile* file = nullptr;
  std::size_t offset = 0;  // of data in that file

  [[nodiscard]] std::int64_t n_elements() const;
  [[nodiscard]] std::int64_t n_cols() const { return shape[0]; }
  [[nodiscard]] std::int64_t n_rows() const { return n_elements() / shape[0]; }
};

// Owner of the mapped files: tensors and views from getters die with it. Immutable, so any thread may read.
class TensorFile {
 public:
  virtual ~TensorFile() = default;

  // How messages call it: the path that was opened.
  [[nodiscard]] virtual std::string_view label() const { return "the model"; }

  [[nodiscard]] virtual const std::vector<Tensor>& tensors() const = 0;
  [[nodiscard]] virtual const Tensor* find(std::string_view name) const = 0;

  // Typed getters: empty optional where the key is absent; an Error where it has the wrong type or range.
  [[nodiscard]] virtual bool has(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> get_uint(
      std::string_view key) const = 0;  // any integer type, >= 0
  [[nodiscard]] virtual Result<std::optional<double>> get_float(
      std::string_view key) const = 0;  // f32 or f64, any value
  [[nodiscard]] virtual Result<std::optional<bool>> get_bool(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::string_view>> get_string(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::vector<std::string_view>>> get_strings(
      std::string_view key) const = 0;
  // Elements of 32 or 64 bits.
  [[nodiscard]] virtual Result<std::optional<std::vector<std::int64_t>>> get_ints(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::vector<float>>> get_floats(std::string_view key) const = 0;

  // For people: every key with its value as short text, in file order.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> describe() const = 0;
  [[nodiscard]] virtual std::uint64_t file_bytes() const = 0;  // over all shards
};

// Opens a GGUF file (version 2 or 3, little endian), any shard of a sharded one, or a folder that holds one model.
// Reads only headers; the tensors are mapped. Every length, count, offset, shape and type is checked before use.
// Errors are one line that starts with the file, names the key or tensor, and says the remedy.
Result<std::unique_ptr<TensorFile>> open_model(const std::filesystem::path& path);

// The same for a model that lies in memory, one shard only: for tests, the fuzzer and converters.
Result<std::unique_ptr<TensorFile>> open_model_bytes(std::vector<std::byte> bytes);

}  // namespace reckon::formats
