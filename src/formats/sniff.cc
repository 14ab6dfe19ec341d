#include "formats/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "formats/quote.h"

namespace reckon::formats {
namespace {

constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kNewestVersion = 3;
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

std::unexpected<Error> bad(std::string message) { return fail(ErrorCode::kInvalidInput, std::move(message)); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return out;
}

bool is_safetensors(std::string_view head) {
  std::uint64_t length = 0;
  if (head.size() < 9) return false;
  std::memcpy(&length, head.data(), sizeof(length));
  return length <= kMaxSafetensorsHeader && head[8] == '{';
}

// `head` does not start with the magic of GGUF.
std::unexpected<Error> explain(std::string_view head) {
  const auto starts = [&](std::string_view magic) { return head.starts_with(magic); };
  const std::size_t first_text = std::min(head.find_first_not_of(" \t\r\n\xef\xbb\xbf"), head.size());
  const std::string text = lower(head.substr(first_text, 64));
  if (text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<?xml") ||
      text.starts_with("<head")) {
    return bad("this is a web page, not a model (the download answered with an error page): download the file itself");
  }
  if (starts("version https://git-lfs")) {
    return bad("this is a Git LFS pointer, not the model itself: run 'git lfs pull', or download the file directly");
  }
  if (starts("PK\3\4"))
    return bad("this is a zip archive (perhaps a PyTorch file), not a GGUF model: take a .gguf file");
  if (starts("\x1f\x8b") || starts("\x28\xb5\x2f\xfd") || starts("BZh") ||
      starts("\xfd"
             "7zXZ") ||
      starts("7z\xbc\xaf")) {
    return bad("this is a compressed archive, not a GGUF model: unpack it first");
  }
  if (is_safetensors(head))
    return bad("this is a safetensors file, not a GGUF model: convert it, or take a .gguf file");
  for (const std::string_view old : {"lmgg", "fmgg", "tjgg", "algg"}) {
    if (starts(old)) return bad("this is a GGML file from before GGUF (2023): take a newer .gguf file of the model");
  }
  if (starts("FUGG"))
    return bad("this GGUF file has the byte order of another kind of machine: take a little-endian one");
  if (text.starts_with("{")) {
    return bad(fmt::format("this is JSON, not a model ({}): download the file itself", quote(head, 60)));
  }
  if (std::ranges::all_of(head, [](char c) { return c == '\0'; })) {
    return bad("the file starts with zeros: an unfinished download; download it again");
  }
  return bad(fmt::format("not a GGUF model: it starts with {} instead of 'GGUF'", quote(head.substr(0, 4))));
}

}  // namespace

Result<void> check_is_gguf(std::span<const std::byte> bytes) {
  if (bytes.empty()) return bad("the file is empty: download it again");
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 512));
  if (!head.starts_with("GGUF")) return explain(head);
  if (head.size() < 8) return bad(fmt::format("the file has {} bytes and no more: download it again", head.size()));

  std::uint32_t version = 0;
  std::memcpy(&version, head.data() + 4, sizeof(version));
  if (version >= kOldestVersion && version <= kNewestVersion) return {};
  if (version == 1) {
    return fail(ErrorCode::kUnsupported, "GGUF version 1 (2023) is too old to be read: take a newer file of the model");
  }
  const std::uint32_t swapped = version >> 24 | (version >> 8 & 0xff00) | (version << 8 & 0xff0000) | version << 24;
  if (swapped >= 1 && swapped <= kNewestVersion) {
    return fail(ErrorCode::kUnsupported,
                "this GGUF file is big endian, made for another kind of machine: take a little-endian one");
  }
  if (version > kNewestVersion && version < 100) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("GGUF version {} is newer than this program reads (up to {}): update it", version, kNewestVersion));
  }
  return bad(fmt::format("GGUF version {} does not exist: the file is damaged, download it again", version));
}

}  // namespace reckon::formats
