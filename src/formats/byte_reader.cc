#include "formats/byte_reader.h"

#include <fmt/format.h>

namespace reckon::formats {

Result<std::string_view> ByteReader::read_string(std::uint64_t limit, std::string_view what) {
  RECKON_TRY(const auto length, read<std::uint64_t>(what));
  if (length > limit) {
    return fail(ErrorCode::kLimit,
                fmt::format("{} claims {} bytes, more than the limit of {}: the file is damaged", what, length, limit));
  }
  RECKON_TRY(const auto raw, take(length, what));
  return std::string_view(reinterpret_cast<const char*>(raw.data()), raw.size());
}

std::unexpected<Error> ByteReader::ends_inside(std::string_view what) const {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the file ends at byte {}, inside {}: it is cut off or damaged, download it again",
                          bytes_.size(), what));
}

}  // namespace reckon::formats
