#include "base/mapped_ranges.h"

#include <algorithm>
#include <atomic>

namespace reckon {
namespace {

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};  // 0: not filled yet; written last, so that a reader sees all or nothing
  std::uintptr_t end = 0;
  std::size_t name_size = 0;
  char name[kMaxRangeName] = {};
};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "a signal handler reads it");

Slot slots[kMaxMappedRanges];

}  // namespace

int add_mapped_range(std::span<const std::byte> bytes, std::string_view name) {
  if (bytes.empty()) return -1;
  for (int i = 0; i < kMaxMappedRanges; ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    if (name.size() > kMaxRangeName) name.remove_prefix(name.size() - kMaxRangeName);
    std::ranges::copy(name, slot.name);
    slot.name_size = name.size();
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    slot.end = begin + bytes.size();
    slot.begin.store(begin, std::memory_order_release);
    return i;
  }
  return -1;
}

void remove_mapped_range(int slot) {
  if (slot < 0) return;
  slots[slot].begin.store(0, std::memory_order_relaxed);
  slots[slot].taken.store(false, std::memory_order_release);
}

std::string_view find_mapped_range(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (const Slot& slot : slots) {
    const auto begin = slot.begin.load(std::memory_order_acquire);
    if (begin != 0 && begin <= wanted && wanted < slot.end) return {slot.name, slot.name_size};
  }
  return {};
}

}  // namespace reckon
