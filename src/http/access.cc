#include "http/access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "http/field_text.h"

namespace reckon::http {
namespace {

constexpr std::size_t kMinKeyChars = 16;
constexpr std::size_t kMaxKeyFileBytes = 1 << 20;

using Digest = std::array<std::uint8_t, 32>;

Digest digest_of(std::string_view key) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest.data());
  return digest;
}

// Of a file that nobody but its owner can read or change.
Result<std::string> read_private_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                fmt::format("the key file {} cannot be opened: {}", path.string(), std::strerror(errno)));
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } const closer{fd};
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the key file {} is not a regular file", path.string()));
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(ErrorCode::kInvalidInput, fmt::format("others may read the key file {}: chmod 600 it", path.string()));
  }
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return fail(ErrorCode::kIo,
                  fmt::format("the key file {} cannot be read: {}", path.string(), std::strerror(errno)));
    }
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > kMaxKeyFileBytes) {
      return fail(ErrorCode::kInvalidInput, fmt::format("the key file {} is larger than 1 MiB", path.string()));
    }
  }
}

// "name:key" or the key alone; a message that never shows the key.
Result<ApiKey> parse_key(std::string_view line, std::size_t i_key, int i_line) {
  std::string name = fmt::format("key-{}", i_key);
  if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    name = trim(line.substr(0, colon));
    line = trim(line.substr(colon + 1));
    if (!is_token(name)) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("line {} of the key file: a name is letters, digits, '-', '.' and '_'", i_line));
    }
  }
  if (line.size() < kMinKeyChars) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format(
            "line {} of the key file: a key needs {} characters, this one has {}; openssl rand -hex 24 makes one",
            i_line, kMinKeyChars, line.size()));
  }
  for (const char c : line) {
    if (c <= 0x20 || c >= 0x7f) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("line {} of the key file: a key is printable ASCII without blanks", i_line));
    }
  }
  return ApiKey{std::move(name), digest_of(line)};
}

}  // namespace

Result<std::vector<ApiKey>> read_key_file(const std::filesystem::path& path) {
  auto text = read_private_file(path);
  if (!text) return std::unexpected(text.error());
  std::vector<ApiKey> keys;
  int i_line = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++i_line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    auto key = parse_key(line, keys.size() + 1, i_line);
    if (!key) return std::unexpected(key.error());
    keys.push_back(*std::move(key));
  }
  OPENSSL_cleanse(text->data(), text->size());
  if (keys.empty()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the key file {} holds no key: one a line, \"name:key\"", path.string()));
  }
  return keys;
}

const ApiKey* find_key(const std::vector<ApiKey>& keys, std::string_view presented) {
  const Digest digest = digest_of(presented);
  const ApiKey* found = nullptr;
  for (const ApiKey& key : keys) {
    if (CRYPTO_memcmp(key.sha256.data(), digest.data(), digest.size()) == 0) found = &key;
  }
  return found;
}

}  // namespace reckon::http
