#pragma once
// Which addresses are mapped files, for a handler of SIGBUS: touching a page of a file that was cut short, or whose
// disk fails, raises that signal, and the address is all that it says. Thread: any. Memory: a fixed table, no
// allocation. MappedFile fills it; the program reads it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace reckon {

inline constexpr int kMaxMappedRanges = 1024;  // more files than that are mapped all the same, but not found here
inline constexpr std::size_t kMaxRangeName = 400;

// The slot that was taken, or -1 where the table is full. Keeps the end of a name that is too long.
int add_mapped_range(std::span<const std::byte> bytes, std::string_view name);
void remove_mapped_range(int slot);  // -1 is no error

// The name of the file that `address` lies in; empty for none. Async-signal-safe. Valid until the range is removed.
std::string_view find_mapped_range(const void* address);

}  // namespace reckon
