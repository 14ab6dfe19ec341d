#pragma once
// Writes GGUF version 3, little endian: for tests and for conversion.
// Owner: the caller; borrowed tensor data must live until finish() or write(). Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor_type.h"
#include "formats/metadata.h"

namespace reckon::formats {

class GgufWriter {
 public:
  // alignment: a power of two from 8 to 1 MiB; written as a key where it is not 32.
  explicit GgufWriter(std::uint32_t alignment = 32);

  // Setting a key again replaces its value in place.
  void set_uint32(std::string_view key, std::uint32_t value);
  void set_uint16(std::string_view key, std::uint16_t value);
  void set_uint64(std::string_view key, std::uint64_t value);
  void set_int32(std::string_view key, std::int32_t value);
  void set_float(std::string_view key, float value);
  void set_bool(std::string_view key, bool value);
  void set_string(std::string_view key, std::string_view value);
  void set_strings(std::string_view key, std::span<const std::string> values);
  void set_int32s(std::string_view key, std::span<const std::int32_t> values);
  void set_floats(std::string_view key, std::span<const float> values);
  // A value as it lies in a file.
  void set_raw(std::string_view key, const Value& value);
  void remove(std::string_view key);

  // shape[0] is the contiguous dimension; data has exactly the bytes that type and shape ask for. finish() checks.
  void borrow_tensor(std::string_view name, TensorType type, std::vector<std::int64_t> shape,
                     std::span<const std::byte> data);
  void add_tensor(std::string_view name, TensorType type, std::vector<std::int64_t> shape, std::vector<std::byte> data);

  // The whole file. kInvalidInput names a tensor whose data does not fit its shape, or whose name is there twice.
  [[nodiscard]] Result<std::vector<std::byte>> finish() const;

  // Writes beside `path` and renames, so that no half file is ever seen under that name. kIo.
  [[nodiscard]] Result<void> write(const std::filesystem::path& path) const;

 private:
  struct Pair {
    std::string key;
    ValueType type;
    bool is_array;
    std::vector<std::byte> payload;  // for an array with its header
  };
  struct Entry {
    std::string name;
    TensorType type;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> owned;
    std::span<const std::byte> borrowed;

    [[nodiscard]] std::span<const std::byte> data() const { return owned.empty() ? borrowed : owned; }
  };

  void put(std::string_view key, ValueType type, bool is_array, std::vector<std::byte> payload);
  Result<void> check() const;
  std::vector<std::byte> header() const;  // up to the start of the data, padded
  // Hands the file piece by piece to `sink`, until it returns false.
  void stream(const std::function<bool(std::span<const std::byte>)>& sink) const;

  std::uint32_t alignment_;
  std::vector<Pair> pairs_;
  std::vector<Entry> tensors_;
};

}  // namespace reckon::formats
