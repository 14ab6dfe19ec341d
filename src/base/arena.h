#pragma once
// One large anonymous mapping, 2 MiB aligned, on huge pages where the system allows it.
// Owner: whoever holds it. Zero-filled; a page costs memory once it is touched.

#include <cstddef>
#include <span>

#include "base/result.h"

namespace reckon {

class Arena {
 public:
  // kOutOfMemory. huge_pages: ask for them (madvise); the system may still say no.
  static Result<Arena> create(std::size_t size, bool huge_pages = true);

  Arena() = default;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;  // 2 MiB aligned, inside the mapping
  std::size_t size_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapping_size_ = 0;
};

}  // namespace reckon
