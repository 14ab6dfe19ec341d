#include "server/random_id.h"

#include <fmt/format.h>

#include <random>

namespace reckon::server {

std::string random_id(std::string_view prefix) {
  std::random_device device;
  return fmt::format("{}{:08x}{:08x}{:08x}", prefix, device(), device(), device());
}

}  // namespace reckon::server
