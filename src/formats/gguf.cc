#include "formats/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "base/checked.h"
#include "base/log.h"
#include "formats/byte_reader.h"
#include "formats/quote.h"
#include "formats/sniff.h"

namespace reckon::formats {
namespace {

constexpr std::uint64_t kMaxTensors = 65'535;
constexpr std::uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;  // what the shortest description takes
constexpr std::uint64_t kMaxNameBytes = 64;                       // the specification's own limit
constexpr std::uint64_t kMaxDimension = (1ULL << 31) - 1;
constexpr std::uint64_t kMaxElements = 1ULL << 40;
constexpr std::uint32_t kMaxRank = 4;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMinAlignment = 8;
constexpr std::uint64_t kMaxAlignment = 1 << 20;

std::unexpected<Error> bad_tensor(std::string_view name, std::string_view what) {
  return fail(ErrorCode::kInvalidInput, fmt::format("tensor {}: {}", quote(name), what));
}

Result<std::uint64_t> read_alignment(const Metadata& metadata) {
  constexpr std::string_view kKey = "general.alignment";
  const Value* value = metadata.find(kKey);
  if (value == nullptr) return kDefaultAlignment;
  RECKON_TRY(const auto alignment, metadata.get_uint(kKey));
  const bool right_type = value->type == ValueType::kUint32;
  if (!right_type || *alignment < kMinAlignment || *alignment > kMaxAlignment || !std::has_single_bit(*alignment)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("key '{}': found {}{}, expected a 32-bit power of two from {} to {}: the file is damaged",
                            kKey, *alignment, right_type ? "" : " of another type", kMinAlignment, kMaxAlignment));
  }
  return *alignment;
}

Result<std::vector<std::int64_t>> read_shape(ByteReader& reader, std::string_view name) {
  RECKON_TRY(const auto rank, reader.read<std::uint32_t>("the rank of a tensor"));
  if (rank < 1 || rank > kMaxRank) {
    return bad_tensor(name, fmt::format("{} dimensions, expected 1 to {}: the file is damaged", rank, kMaxRank));
  }
  std::vector<std::int64_t> shape;
  std::uint64_t n_elements = 1;
  for (std::uint32_t i = 0; i < rank; ++i) {
    RECKON_TRY(const auto dimension, reader.read<std::uint64_t>("the shape of a tensor"));
    if (dimension < 1 || dimension > kMaxDimension) {
      return bad_tensor(
          name, fmt::format("dimension {} is {}, expected 1 to {}: the file is damaged", i, dimension, kMaxDimension));
    }
    if (dimension > kMaxElements / n_elements) {
      return bad_tensor(name, "more than 2^40 elements: the file is damaged");
    }
    n_elements *= dimension;
    shape.push_back(static_cast<std::int64_t>(dimension));
  }
  return shape;
}

Result<TensorType> read_tensor_type(ByteReader& reader, std::string_view name) {
  RECKON_TRY(const auto id, reader.read<std::uint32_t>("the type of a tensor"));
  if (const auto type = type_from_id(id)) return *type;
  const std::string_view known = type_id_name(id);
  if (known.empty()) {
    return bad_tensor(name, fmt::format("type {} does not exist: the file is damaged, or newer than this program", id));
  }
  return fail(ErrorCode::kUnsupported,
              fmt::format("tensor {}: type {} cannot be run here: take a file with Q4_K_M, Q8_0 or another common type",
                          quote(name), known));
}

// Reads one description. `offset` is still relative to the start of the data.
Result<GgufTensor> read_tensor(ByteReader& reader) {
  GgufTensor tensor;
  RECKON_TRY(tensor.name, reader.read_string(kMaxNameBytes, "the name of a tensor"));
  if (tensor.name.empty() || tensor.name.find('\0') != std::string_view::npos) {
    return bad_tensor(tensor.name, "the name is empty or has a zero byte: the file is damaged");
  }
  RECKON_TRY(tensor.shape, read_shape(reader, tensor.name));
  RECKON_TRY(tensor.type, read_tensor_type(reader, tensor.name));
  RECKON_TRY(const auto offset, reader.read<std::uint64_t>("the offset of a tensor"));
  tensor.offset = static_cast<std::size_t>(offset);

  const TypeInfo& info = *type_info(tensor.type);
  const std::int64_t n_cols = tensor.shape[0];
  if (n_cols % info.block_elements != 0) {
    return bad_tensor(tensor.name,
                      fmt::format("rows of {} are no multiple of the {} elements of a {} block: the file is damaged",
                                  n_cols, info.block_elements, info.name));
  }
  std::uint64_t n_blocks = static_cast<std::uint64_t>(n_cols / info.block_elements);
  for (std::size_t i = 1; i < tensor.shape.size(); ++i) n_blocks *= static_cast<std::uint64_t>(tensor.shape[i]);
  tensor.n_bytes = static_cast<std::size_t>(n_blocks) * static_cast<std::size_t>(info.block_bytes);  // < 2^40 * 2^8
  return tensor;
}

// Where all of the data is meant to end, if the tensors lie one behind the other as writers put them; else empty.
std::optional<std::uint64_t> dense_end(const std::vector<const GgufTensor*>& by_offset, std::uint64_t alignment) {
  std::uint64_t end = 0;
  for (const GgufTensor* tensor : by_offset) {
    if (tensor->offset < end || tensor->offset - end >= alignment) return std::nullopt;
    const auto next = checked_add<std::uint64_t>(tensor->offset, tensor->n_bytes);
    if (!next) return std::nullopt;
    end = *next;
  }
  return end;
}

// Checks that every tensor lies inside the file, aligned, and apart from the others; makes offsets absolute.
Result<void> place_tensors(std::vector<GgufTensor>& tensors, std::uint64_t data_start, std::uint64_t file_size,
                           std::uint64_t alignment) {
  std::vector<const GgufTensor*> by_offset;
  for (const GgufTensor& tensor : tensors) {
    if (tensor.offset % alignment != 0) {
      return bad_tensor(tensor.name, fmt::format("offset {} is no multiple of the alignment {}: the file is damaged",
                                                 tensor.offset, alignment));
    }
    by_offset.push_back(&tensor);
  }
  std::ranges::sort(by_offset, {}, [](const GgufTensor* tensor) { return tensor->offset; });
  const std::uint64_t data_size = file_size > data_start ? file_size - data_start : 0;
  const auto planned_end = dense_end(by_offset, alignment);
  if (planned_end && *planned_end > data_size) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the file ends at {} of {} bytes: it is cut off, download it again", file_size,
                            data_start + *planned_end));
  }
  std::uint64_t end = 0;
  std::string_view before;
  for (const GgufTensor* tensor : by_offset) {
    if (tensor->offset > data_size || tensor->n_bytes > data_size - tensor->offset) {
      return bad_tensor(
          tensor->name,
          fmt::format(
              "{} bytes at offset {} lie outside the {} bytes of data in the file: it is damaged, download it again",
              tensor->n_bytes, tensor->offset, data_size));
    }
    if (tensor->offset < end) {
      return bad_tensor(tensor->name, fmt::format("its data overlaps that of {}: the file is damaged", quote(before)));
    }
    end = tensor->offset + tensor->n_bytes;
    before = tensor->name;
  }
  if (data_size - end >= std::max(alignment, std::uint64_t{4096})) {
    log_line(LogLevel::kWarning, fmt::format("{} bytes after the last tensor are ignored", data_size - end));
  }
  for (GgufTensor& tensor : tensors) tensor.offset += static_cast<std::size_t>(data_start);
  return {};
}

}  // namespace

Result<GgufContents> parse_gguf(std::span<const std::byte> bytes) {
  RECKON_TRY_VOID(check_is_gguf(bytes));
  ByteReader reader(bytes);
  RECKON_TRY_VOID(reader.take(8, "the header"));
  RECKON_TRY(const auto n_tensors, reader.read<std::uint64_t>("the header"));
  RECKON_TRY(const auto n_keys, reader.read<std::uint64_t>("the header"));
  if (n_tensors > kMaxTensors || n_tensors > reader.left() / kMinTensorBytes) {
    return fail(
        ErrorCode::kLimit,
        fmt::format("the header claims {} tensors, more than {}: the file is cut off or damaged, download it again",
                    n_tensors, n_tensors > kMaxTensors ? "the limit of 65535" : "its bytes can hold"));
  }
  GgufContents contents;
  RECKON_TRY(contents.metadata, Metadata::read(reader, n_keys));
  RECKON_TRY(const auto alignment, read_alignment(contents.metadata));

  std::set<std::string_view> names;
  contents.tensors.reserve(static_cast<std::size_t>(n_tensors));
  for (std::uint64_t i = 0; i < n_tensors; ++i) {
    RECKON_TRY(auto tensor, read_tensor(reader));
    if (!names.insert(tensor.name).second) return bad_tensor(tensor.name, "found twice: the file is damaged");
    contents.tensors.push_back(std::move(tensor));
  }
  const std::uint64_t data_start = (reader.position() + alignment - 1) / alignment * alignment;
  RECKON_TRY_VOID(place_tensors(contents.tensors, data_start, bytes.size(), alignment));
  return contents;
}

}  // namespace reckon::formats
