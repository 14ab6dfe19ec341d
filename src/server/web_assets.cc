#include "server/web_assets.h"

#include <algorithm>

namespace reckon::server {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// "q=0", "q=0.0", "q=0.000": refused.
bool refuses(std::string_view parameter) {
  parameter = trimmed(parameter);
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
  const std::string_view value = parameter.substr(2);
  return !value.empty() && value.find_first_not_of("0.") == std::string_view::npos;
}

bool is_gzip(std::string_view coding) {
  constexpr std::string_view kName = "gzip";
  return std::ranges::equal(coding, kName, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

const WebAsset* find_web_asset(std::string_view path) {
  const auto assets = web_assets();
  const auto found = std::ranges::find(assets, path, &WebAsset::path);
  return found == assets.end() ? nullptr : &*found;
}

std::string_view cache_control(const WebAsset& asset) {
  return asset.immutable ? "public, max-age=31536000, immutable" : "no-cache";
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;  // what "*" says, where gzip itself is not named
  while (!accept_encoding.empty()) {
    const auto comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const auto semicolon = std::min(item.find(';'), item.size());
    const bool takes = semicolon == item.size() || !refuses(item.substr(semicolon + 1));
    const std::string_view coding = trimmed(item.substr(0, semicolon));
    if (is_gzip(coding)) return takes;
    if (coding == "*") any = takes;
  }
  return any;
}

}  // namespace reckon::server
