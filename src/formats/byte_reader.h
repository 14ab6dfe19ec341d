#pragma once
// The only way bytes of a file are read: each step is checked against what is left.
// Not thread-safe; the bytes must outlive it. Errors name the byte where the file ends.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace reckon::formats {

static_assert(std::endian::native == std::endian::little, "GGUF is read as little endian, without swapping");

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  // `what` completes "the file ends at byte 120, inside ...".
  Result<std::span<const std::byte>> take(std::uint64_t n, std::string_view what) {
    if (n > left()) return ends_inside(what);
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(n));
    position_ += taken.size();
    return taken;
  }

  template <class T>
    requires std::is_arithmetic_v<T>
  Result<T> read(std::string_view what) {
    RECKON_TRY(const auto raw, take(sizeof(T), what));
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  // A length in 64 bits, then as many bytes. kLimit over `limit`, before anything is read or allocated.
  Result<std::string_view> read_string(std::uint64_t limit, std::string_view what);

 private:
  std::unexpected<Error> ends_inside(std::string_view what) const;

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace reckon::formats
