#include "base/arena.h"

#include <sys/mman.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/checked.h"

namespace reckon {
namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}

Result<Arena> Arena::create(std::size_t size, bool huge_pages) {
  Arena arena;
  if (size == 0) return arena;
  const auto mapping_size = checked_add(size, 2 * kHugePage);
  void* mapping = MAP_FAILED;
  if (mapping_size) {
    mapping = mmap(nullptr, *mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (mapping == MAP_FAILED) {
    return fail(ErrorCode::kOutOfMemory, "the system refused " + std::to_string(size >> 20) + " MiB of memory");
  }
  arena.mapping_ = mapping;
  arena.mapping_size_ = *mapping_size;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  arena.data_ = reinterpret_cast<std::byte*>((address + kHugePage - 1) / kHugePage * kHugePage);
  arena.size_ = size;
  if (huge_pages) madvise(arena.data_, (size + kHugePage - 1) / kHugePage * kHugePage, MADV_HUGEPAGE);
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_size_(std::exchange(other.mapping_size_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  return *this;
}

Arena::~Arena() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_size_);
}

}  // namespace reckon
