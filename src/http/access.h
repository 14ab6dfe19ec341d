#pragma once
// Who may ask: Host and Origin are checked before anything else, then the key.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/result.h"

namespace reckon::http {

// Only digests are kept. A line of a key file is "name:key", or the key alone (its name is then "key-1" ...).
struct ApiKey {
  std::string name;
  std::array<std::uint8_t, 32> sha256{};
};

struct Access {
  std::vector<ApiKey> keys;   // empty: no key is asked for
  bool allow_no_key = false;  // may listen beyond loopback without keys (--insecure-no-key)
  // Beside localhost, 127.0.0.1, [::1] and the addresses listened on; "*": any. Compared without the port.
  std::vector<std::string> hosts;
  // Origins of pages elsewhere that may ask, "https://chat.example"; our own page always may. "*": any, without keys
  // in cookies (there are none).
  std::vector<std::string> origins;
};

// kNotFound, kIo, kInvalidInput (an empty file, a key under 16 characters, one that others may read); never shows a
// key.
Result<std::vector<ApiKey>> read_key_file(const std::filesystem::path& path);

// The name of the key that matches, null where none does; compares all keys in constant time.
[[nodiscard]] const ApiKey* find_key(const std::vector<ApiKey>& keys, std::string_view presented);

}  // namespace reckon::http
