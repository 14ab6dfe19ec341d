#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/mapped_ranges.h"

namespace reckon {
namespace {

Error io_error(const std::filesystem::path& path, const char* verb) {
  const int number = errno;
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Error{code, "cannot " + std::string(verb) + " " + path.string() + ": " + std::strerror(number)};
}

// Rounds [offset, offset + size) inwards or outwards to whole pages and calls madvise on it.
void advise(const std::byte* data, std::size_t file_size, std::size_t offset, std::size_t size, bool inwards,
            int advice) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (offset >= file_size) return;
  std::size_t begin = offset;
  std::size_t end = offset + std::min(size, file_size - offset);
  begin = inwards ? (begin + page - 1) / page * page : begin / page * page;
  if (inwards) end = end / page * page;
  if (begin < end) madvise(const_cast<std::byte*>(data) + begin, end - begin, advice);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(io_error(path, "open"));
  struct stat info{};
  if (fstat(fd, &info) != 0) {
    auto error = io_error(path, "read");
    ::close(fd);
    return std::unexpected(std::move(error));
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return fail(ErrorCode::kInvalidInput, path.string() + " is not a regular file");
  }
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(info.st_size);
  if (file.size_ > 0) {
    void* data = mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
      auto error = io_error(path, "map");
      ::close(fd);
      file.size_ = 0;
      return std::unexpected(std::move(error));
    }
    file.data_ = static_cast<const std::byte*>(data);
    file.range_ = add_mapped_range(file.bytes(), path.native());
  }
  ::close(fd);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      range_(std::exchange(other.range_, -1)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(range_, other.range_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  remove_mapped_range(range_);
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::will_need(std::size_t offset, std::size_t size) const {
  advise(data_, size_, offset, size, false, MADV_WILLNEED);
}

void MappedFile::done_with(std::size_t offset, std::size_t size) const {
  advise(data_, size_, offset, size, true, MADV_DONTNEED);
}

}  // namespace reckon
