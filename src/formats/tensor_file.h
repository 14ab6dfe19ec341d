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
using reckon::TypeInfo;
using reckon::type_info;

struct Tensor {
  std::string name;
  TensorType type;
  std::vector<std::int64_t> shape;   // as in the file: shape[0] is the contiguous dimension (columns), 1..4 entries
  std::span<const std::byte> data;   // exactly the bytes of the tensor, inside a mapped file
  const MappedFile* file = nullptr;  // which file it lies in, for will_need/done_with
  std::size_t offset = 0;            // of data in that file

  [[nodiscard]] std::int64_t n_elements() const;
  [[nodiscard]] std::int64_t n_cols() const { return shape[0]; }
  [[nodiscard]] std::int64_t n_rows() const { return n_elements() / shape[0]; }
};

class TensorFile {
 public:
  virtual ~TensorFile() = default;

  [[nodiscard]] virtual const std::vector<Tensor>& tensors() const = 0;
  [[nodiscard]] virtual const Tensor* find(std::string_view name) const = 0;

  // Typed getters: empty optional where the key is absent; an Error where it has the wrong type or range.
  [[nodiscard]] virtual bool has(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> get_uint(std::string_view key) const = 0;   // any integer type, >= 0
  [[nodiscard]] virtual Result<std::optional<double>> get_float(std::string_view key) const = 0;         // f32 or f64, any value
  [[nodiscard]] virtual Result<std::optional<bool>> get_bool(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::string_view>> get_string(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::vector<std::string_view>>> get_strings(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::vector<std::int64_t>>> get_ints(std::string_view key) const = 0;
  [[nodiscard]] virtual Result<std::optional<std::vector<float>>> get_floats(std::string_view key) const = 0;

  // For people: every key with its value as short text, in file order.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> describe() const = 0;
  [[nodiscard]] virtual std::uint64_t file_bytes() const = 0;  // over all shards
};

// Opens a GGUF file, any shard of a sharded one, or a folder that holds one model.
Result<std::unique_ptr<TensorFile>> open_model(const std::filesystem::path& path);

}  // namespace reckon::formats
