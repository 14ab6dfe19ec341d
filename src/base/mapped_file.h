#pragma once
// A file mapped read-only into memory.
// Owner: whoever holds it; spans of bytes() die with it. Thread: any, it is immutable.
// A read raises SIGBUS where the file has been cut short meanwhile or its disk fails; base/mapped_ranges.h tells a
// handler which file that was.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace reckon {

class MappedFile {
 public:
  // kNotFound, kIo; a directory or a device is kInvalidInput.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Tells the kernel that [offset, offset + size) is read soon, or is not needed any more.
  void will_need(std::size_t offset, std::size_t size) const;
  void done_with(std::size_t offset, std::size_t size) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int range_ = -1;  // slot of add_mapped_range()
  std::filesystem::path path_;
};

}  // namespace reckon
