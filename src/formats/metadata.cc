#include "formats/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "formats/quote.h"

namespace reckon::formats {
namespace {

constexpr std::uint64_t kMaxKeys = 65'535;
constexpr std::uint64_t kMaxKeyBytes = 65'535;  // the specification's own limit
constexpr std::uint64_t kMaxStringBytes = 16 << 20;
constexpr std::uint64_t kMaxArrayItems = 16 << 20;
constexpr std::uint64_t kMinPairBytes = 8 + 4 + 1;  // key length, type, the smallest value

struct TypeRow {
  std::string_view name;
  std::size_t bytes;  // of one element; of a string or array the smallest one
};

// Index: the type's number.
constexpr std::array<TypeRow, 13> kTypeRows = {{{"an 8-bit whole number", 1},
                                                {"an 8-bit whole number", 1},
                                                {"a 16-bit whole number", 2},
                                                {"a 16-bit whole number", 2},
                                                {"a 32-bit whole number", 4},
                                                {"a 32-bit whole number", 4},
                                                {"a number with a fraction", 4},
                                                {"true or false", 1},
                                                {"text", 8},
                                                {"a list", 12},
                                                {"a 64-bit whole number", 8},
                                                {"a 64-bit whole number", 8},
                                                {"a number with a fraction", 8}}};

const TypeRow& row(ValueType type) { return kTypeRows[static_cast<std::size_t>(type)]; }

std::string describe_type(const Value& value) {
  return value.is_array ? fmt::format("a list whose items are {}", row(value.type).name)
                        : std::string(row(value.type).name);
}

std::unexpected<Error> wrong_type(std::string_view key, const Value& value, std::string_view wanted) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("key {}: found {}, expected {}; the file was not converted properly", quote(key),
                          describe_type(value), wanted));
}

template <class T>
T load(std::span<const std::byte> bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

// Calls visit(number) with element i where its type is an integer; false where it is not.
template <class Visit>
bool visit_integer(const Value& value, std::size_t i, Visit visit) {
  switch (value.type) {
    case ValueType::kUint8:
      visit(load<std::uint8_t>(value.bytes, i));
      return true;
    case ValueType::kInt8:
      visit(load<std::int8_t>(value.bytes, i));
      return true;
    case ValueType::kUint16:
      visit(load<std::uint16_t>(value.bytes, i));
      return true;
    case ValueType::kInt16:
      visit(load<std::int16_t>(value.bytes, i));
      return true;
    case ValueType::kUint32:
      visit(load<std::uint32_t>(value.bytes, i));
      return true;
    case ValueType::kInt32:
      visit(load<std::int32_t>(value.bytes, i));
      return true;
    case ValueType::kUint64:
      visit(load<std::uint64_t>(value.bytes, i));
      return true;
    case ValueType::kInt64:
      visit(load<std::int64_t>(value.bytes, i));
      return true;
    default:
      return false;
  }
}

Result<ValueType> read_type(ByteReader& reader) {
  RECKON_TRY(const auto number, reader.read<std::uint32_t>("the type of a value"));
  if (number >= kTypeRows.size()) {
    return fail(ErrorCode::kInvalidInput, fmt::format("value type {} does not exist: the file is damaged", number));
  }
  return static_cast<ValueType>(number);
}

Result<void> check_bools(std::span<const std::byte> bytes) {
  const bool fine = std::ranges::all_of(bytes, [](std::byte b) { return b <= std::byte{1}; });
  if (!fine) return fail(ErrorCode::kInvalidInput, "a truth value is neither 0 nor 1: the file is damaged");
  return {};
}

// `count` elements of `type`, which is no array.
Result<std::span<const std::byte>> read_elements(ByteReader& reader, ValueType type, std::uint64_t count) {
  if (type != ValueType::kString) {
    RECKON_TRY(const auto bytes, reader.take(count * row(type).bytes, "a value"));  // count <= 2^24: no overflow
    if (type == ValueType::kBool) RECKON_TRY_VOID(check_bools(bytes));
    return bytes;
  }
  ByteReader ahead = reader;
  for (std::uint64_t i = 0; i < count; ++i) RECKON_TRY_VOID(ahead.read_string(kMaxStringBytes, "a text"));
  return reader.take(ahead.position() - reader.position(), "a text");
}

Result<Value> read_value(ByteReader& reader) {
  Value value;
  RECKON_TRY(value.type, read_type(reader));
  if (value.type == ValueType::kArray) {
    value.is_array = true;
    RECKON_TRY(value.type, read_type(reader));
    if (value.type == ValueType::kArray) return fail(ErrorCode::kUnsupported, "lists inside lists are not supported");
    RECKON_TRY(value.count, reader.read<std::uint64_t>("the length of a list"));
    if (value.count > kMaxArrayItems) {
      return fail(ErrorCode::kLimit,
                  fmt::format("a list claims {} items, more than the limit of {}: the file is damaged", value.count,
                              kMaxArrayItems));
    }
  }
  RECKON_TRY(value.bytes, read_elements(reader, value.type, value.count));
  return value;
}

bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::string describe_scalar(const Value& value) {
  std::string out;
  if (visit_integer(value, 0, [&](auto number) { out = std::to_string(number); })) return out;
  switch (value.type) {
    case ValueType::kFloat32:
      return fmt::format("{}", load<float>(value.bytes, 0));
    case ValueType::kFloat64:
      return fmt::format("{}", load<double>(value.bytes, 0));
    case ValueType::kBool:
      return value.bytes[0] == std::byte{0} ? "false" : "true";
    default:
      return {};
  }
}

}  // namespace

Result<Metadata> Metadata::read(ByteReader& reader, std::uint64_t n) {
  if (n > kMaxKeys || n > reader.left() / kMinPairBytes) {
    return fail(
        ErrorCode::kLimit,
        fmt::format("the header claims {} keys, more than {}: the file is cut off or damaged, download it again", n,
                    n > kMaxKeys ? "the limit of 65535" : "its bytes can hold"));
  }
  Metadata metadata;
  metadata.entries_.reserve(static_cast<std::size_t>(n));
  for (std::uint64_t i = 0; i < n; ++i) {
    RECKON_TRY(const auto key, reader.read_string(kMaxKeyBytes, "the name of a key"));
    if (!is_plain_key(key)) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("key {} is named {}, which is empty or not ASCII: the file is damaged", i, quote(key)));
    }
    auto value = read_value(reader);
    if (!value) return fail(value.error().code, fmt::format("key {}: {}", quote(key), value.error().message));
    if (!metadata.index_.emplace(key, metadata.entries_.size()).second) {
      return fail(ErrorCode::kInvalidInput, fmt::format("key {} is there twice: the file is damaged", quote(key)));
    }
    metadata.entries_.emplace_back(key, *value);
  }
  return metadata;
}

const Value* Metadata::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &entries_[found->second].second;
}

Result<std::optional<std::uint64_t>> Metadata::get_uint(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::optional<std::uint64_t> out;
  std::string text;
  const auto visit = [&](auto number) {
    if (std::cmp_less(number, 0)) {
      text = std::to_string(number);
    } else {
      out = static_cast<std::uint64_t>(number);
    }
  };
  if (value->is_array || !visit_integer(*value, 0, visit)) return wrong_type(key, *value, "a whole number");
  if (!out) {
    return fail(ErrorCode::kInvalidInput, fmt::format("key {}: found {}, expected zero or more", quote(key), text));
  }
  return out;
}

Result<std::optional<double>> Metadata::get_float(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array && value->type == ValueType::kFloat32) return load<float>(value->bytes, 0);
  if (!value->is_array && value->type == ValueType::kFloat64) return load<double>(value->bytes, 0);
  return wrong_type(key, *value, "a number with a fraction");
}

Result<std::optional<bool>> Metadata::get_bool(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != ValueType::kBool) return wrong_type(key, *value, "true or false");
  return value->bytes[0] != std::byte{0};
}

Result<std::optional<std::string_view>> Metadata::get_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != ValueType::kString) return wrong_type(key, *value, "text");
  return ByteReader(value->bytes).read_string(kMaxStringBytes, quote(key));
}

Result<std::optional<std::vector<std::string_view>>> Metadata::get_strings(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array || value->type != ValueType::kString) return wrong_type(key, *value, "a list of texts");
  std::vector<std::string_view> out;
  out.reserve(static_cast<std::size_t>(value->count));  // each has 8 bytes in the file at least
  ByteReader reader(value->bytes);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    RECKON_TRY(const auto text, reader.read_string(kMaxStringBytes, quote(key)));
    out.push_back(text);
  }
  return out;
}

Result<std::optional<std::vector<std::int64_t>>> Metadata::get_ints(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  // Narrow elements mean a wrong writer: nobody writes token types or head counts as bytes.
  if (!value->is_array || row(value->type).bytes < 4) return wrong_type(key, *value, "a list of 32-bit whole numbers");
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(value->count));
  for (std::size_t i = 0; i < value->count; ++i) {
    bool fits = true;
    const auto visit = [&](auto number) {
      fits = std::in_range<std::int64_t>(number);
      out.push_back(static_cast<std::int64_t>(number));
    };
    if (!visit_integer(*value, i, visit)) return wrong_type(key, *value, "a list of 32-bit whole numbers");
    if (!fits) return fail(ErrorCode::kInvalidInput, fmt::format("key {}: item {} is over 2^63", quote(key), i));
  }
  return out;
}

Result<std::optional<std::vector<float>>> Metadata::get_floats(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool single = value->type == ValueType::kFloat32;
  if (!value->is_array || (!single && value->type != ValueType::kFloat64)) {
    return wrong_type(key, *value, "a list of numbers with a fraction");
  }
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(value->count));
  for (std::size_t i = 0; i < value->count; ++i) {
    out.push_back(single ? load<float>(value->bytes, i) : static_cast<float>(load<double>(value->bytes, i)));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Metadata::describe() const {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.reserve(entries_.size());
  for (const auto& [key, value] : entries_) {
    std::string text;
    if (value.is_array) {
      text = fmt::format("{} items, each {}", value.count, row(value.type).name);
    } else if (value.type == ValueType::kString) {
      text = printable(ByteReader(value.bytes).read_string(kMaxStringBytes, key).value_or(std::string_view{}), 200);
    } else {
      text = describe_scalar(value);
    }
    lines.emplace_back(printable(key, 200), std::move(text));
  }
  return lines;
}

}  // namespace reckon::formats
