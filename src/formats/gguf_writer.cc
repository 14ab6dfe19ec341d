#include "formats/gguf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <system_error>

#include "base/check.h"
#include "formats/quote.h"

namespace reckon::formats {
namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kDefaultAlignment = 32;
constexpr std::string_view kAlignmentKey = "general.alignment";

using Bytes = std::vector<std::byte>;

void append(Bytes& out, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t end = out.size();
  out.resize(end + bytes.size());  // insert() draws a false warning from GCC 12 at -O3
  std::memcpy(out.data() + end, bytes.data(), bytes.size());
}

template <class T>
  requires std::is_arithmetic_v<T>
void append(Bytes& out, T value) {
  append(out, std::as_bytes(std::span(&value, 1)));
}

void append(Bytes& out, std::string_view text) {
  append(out, static_cast<std::uint64_t>(text.size()));
  append(out, std::as_bytes(std::span(text)));
}

template <class T>
Bytes scalar(T value) {
  Bytes out;
  append(out, value);
  return out;
}

Bytes array_header(ValueType type, std::size_t n) {
  Bytes out;
  append(out, static_cast<std::uint32_t>(type));
  append(out, static_cast<std::uint64_t>(n));
  return out;
}

std::size_t padding(std::size_t size, std::size_t alignment) { return (alignment - size % alignment) % alignment; }

std::unexpected<Error> write_error(const std::filesystem::path& path) {
  return fail(ErrorCode::kIo, fmt::format("cannot write {}: {}", printable(path.string(), 400), std::strerror(errno)));
}

}  // namespace

GgufWriter::GgufWriter(std::uint32_t alignment) : alignment_(alignment) {
  RECKON_CHECK(alignment >= 8 && (alignment & (alignment - 1)) == 0);
  if (alignment != kDefaultAlignment) set_uint32(kAlignmentKey, alignment);
}

void GgufWriter::put(std::string_view key, ValueType type, bool is_array, std::vector<std::byte> payload) {
  const auto found = std::ranges::find(pairs_, key, &Pair::key);
  Pair pair{std::string(key), type, is_array, std::move(payload)};
  if (found == pairs_.end()) {
    pairs_.push_back(std::move(pair));
  } else {
    *found = std::move(pair);
  }
}

void GgufWriter::set_uint16(std::string_view key, std::uint16_t value) {
  put(key, ValueType::kUint16, false, scalar(value));
}
void GgufWriter::set_uint32(std::string_view key, std::uint32_t value) {
  put(key, ValueType::kUint32, false, scalar(value));
}
void GgufWriter::set_uint64(std::string_view key, std::uint64_t value) {
  put(key, ValueType::kUint64, false, scalar(value));
}
void GgufWriter::set_int32(std::string_view key, std::int32_t value) {
  put(key, ValueType::kInt32, false, scalar(value));
}
void GgufWriter::set_float(std::string_view key, float value) { put(key, ValueType::kFloat32, false, scalar(value)); }
void GgufWriter::set_bool(std::string_view key, bool value) {
  put(key, ValueType::kBool, false, scalar(static_cast<std::uint8_t>(value)));
}
void GgufWriter::set_string(std::string_view key, std::string_view value) {
  put(key, ValueType::kString, false, scalar(value));
}

void GgufWriter::set_strings(std::string_view key, std::span<const std::string> values) {
  Bytes payload = array_header(ValueType::kString, values.size());
  for (const std::string& value : values) append(payload, std::string_view(value));
  put(key, ValueType::kString, true, std::move(payload));
}

void GgufWriter::set_int32s(std::string_view key, std::span<const std::int32_t> values) {
  Bytes payload = array_header(ValueType::kInt32, values.size());
  append(payload, std::as_bytes(values));
  put(key, ValueType::kInt32, true, std::move(payload));
}

void GgufWriter::set_floats(std::string_view key, std::span<const float> values) {
  Bytes payload = array_header(ValueType::kFloat32, values.size());
  append(payload, std::as_bytes(values));
  put(key, ValueType::kFloat32, true, std::move(payload));
}

void GgufWriter::set_raw(std::string_view key, const Value& value) {
  Bytes payload;
  if (value.is_array) payload = array_header(value.type, static_cast<std::size_t>(value.count));
  append(payload, value.bytes);
  put(key, value.type, value.is_array, std::move(payload));
}

void GgufWriter::remove(std::string_view key) {
  std::erase_if(pairs_, [&](const Pair& pair) { return pair.key == key; });
}

void GgufWriter::borrow_tensor(std::string_view name, TensorType type, std::vector<std::int64_t> shape,
                               std::span<const std::byte> data) {
  tensors_.push_back({std::string(name), type, std::move(shape), {}, data});
}

void GgufWriter::add_tensor(std::string_view name, TensorType type, std::vector<std::int64_t> shape,
                            std::vector<std::byte> data) {
  tensors_.push_back({std::string(name), type, std::move(shape), std::move(data), {}});
}

Result<void> GgufWriter::check() const {
  std::set<std::string_view> names;
  for (const Entry& tensor : tensors_) {
    const TypeInfo* info = type_info(tensor.type);
    std::int64_t n = 1;
    for (const std::int64_t dimension : tensor.shape) n *= dimension;
    const bool shaped = info != nullptr && !tensor.shape.empty() && tensor.shape[0] % info->block_elements == 0;
    const auto expected = shaped ? static_cast<std::size_t>(n / info->block_elements * info->block_bytes) : 0;
    if (!shaped || expected != tensor.data().size()) {
      return fail(ErrorCode::kInvalidInput, fmt::format("tensor {}: found {} bytes of data, expected {}",
                                                        quote(tensor.name), tensor.data().size(), expected));
    }
    if (!names.insert(tensor.name).second) {
      return fail(ErrorCode::kInvalidInput, fmt::format("tensor {} is there twice", quote(tensor.name)));
    }
  }
  return {};
}

std::vector<std::byte> GgufWriter::header() const {
  Bytes out;
  append(out, std::as_bytes(std::span("GGUF", 4)));
  append(out, kVersion);
  append(out, static_cast<std::uint64_t>(tensors_.size()));
  append(out, static_cast<std::uint64_t>(pairs_.size()));
  for (const Pair& pair : pairs_) {
    append(out, std::string_view(pair.key));
    append(out, static_cast<std::uint32_t>(pair.is_array ? ValueType::kArray : pair.type));
    append(out, std::span<const std::byte>(pair.payload));
  }
  std::uint64_t offset = 0;
  for (const Entry& tensor : tensors_) {
    append(out, std::string_view(tensor.name));
    append(out, static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::int64_t dimension : tensor.shape) append(out, dimension);
    append(out, static_cast<std::uint32_t>(tensor.type));
    append(out, offset);
    offset += tensor.data().size() + padding(tensor.data().size(), alignment_);
  }
  out.resize(out.size() + padding(out.size(), alignment_));
  return out;
}

void GgufWriter::stream(const std::function<bool(std::span<const std::byte>)>& sink) const {
  if (!sink(header())) return;
  const Bytes zeros(alignment_);
  for (const Entry& tensor : tensors_) {
    if (!sink(tensor.data())) return;
    if (!sink(std::span(zeros).first(padding(tensor.data().size(), alignment_)))) return;
  }
}

Result<std::vector<std::byte>> GgufWriter::finish() const {
  RECKON_TRY_VOID(check());
  Bytes out;
  stream([&](std::span<const std::byte> piece) {
    append(out, piece);
    return true;
  });
  return out;
}

Result<void> GgufWriter::write(const std::filesystem::path& path) const {
  RECKON_TRY_VOID(check());
  std::filesystem::path partial = path;
  partial += ".part";
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(partial.c_str(), "wb"), close);
  if (!file) return write_error(partial);
  bool fine = true;
  stream([&](std::span<const std::byte> piece) {
    return fine = std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size();
  });
  fine = fine && std::fflush(file.get()) == 0;
  if (!fine) {
    auto error = write_error(partial);
    std::remove(partial.c_str());
    return error;
  }
  file.reset();
  if (std::rename(partial.c_str(), path.c_str()) != 0) return write_error(path);
  return {};
}

}  // namespace reckon::formats
