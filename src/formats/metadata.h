#pragma once
// The keys and values of a GGUF file. Values stay in the file's bytes, which must outlive this; getters decode them.
// Thread: any, once filled.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formats/byte_reader.h"

namespace reckon::formats {

// With the numbers that the file uses.
enum class ValueType : std::uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

struct Value {
  ValueType type = ValueType::kUint8;  // never kArray: see is_array
  bool is_array = false;               // `type` is then the type of each element
  std::uint64_t count = 1;
  std::span<const std::byte> bytes;  // count elements as they lie in the file
};

class Metadata {
 public:
  // Reads n key-value pairs: names unique, printable ASCII; arrays not nested; every length within its limit and the
  // bytes left (security.md 2).
  static Result<Metadata> read(ByteReader& reader, std::uint64_t n);

  // Null where the key is absent.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // As in TensorFile.
  [[nodiscard]] Result<std::optional<std::uint64_t>> get_uint(std::string_view key) const;
  [[nodiscard]] Result<std::optional<double>> get_float(std::string_view key) const;
  [[nodiscard]] Result<std::optional<bool>> get_bool(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::string_view>> get_string(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<std::string_view>>> get_strings(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> get_ints(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<float>>> get_floats(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const;

 private:
  std::vector<std::pair<std::string_view, Value>> entries_;  // in file order
  std::map<std::string_view, std::size_t> index_;            // not a hash: keys may be chosen to collide
};

}  // namespace reckon::formats
