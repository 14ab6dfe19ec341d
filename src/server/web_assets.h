#pragma once
// The files of the chat page, inside the binary. The table is written at build time from web/ (cmake/ReckonWeb.cmake);
// a build without the page has one short text that says how to build it.
// Thread: any, everything is constant. All views live as long as the program.

#include <span>
#include <string_view>

namespace reckon::server {

struct WebAsset {
  std::string_view path;  // "/", "/index.html", "/assets/..."
  std::string_view content_type;
  std::string_view bytes;
  std::string_view gzip;   // empty where it would not be smaller
  std::string_view etag;   // with its quotes
  bool immutable = false;  // the name holds a hash of the content: may be kept for ever
};

[[nodiscard]] std::span<const WebAsset> web_assets();

// Null: there is no such file.
[[nodiscard]] const WebAsset* find_web_asset(std::string_view path);

// For the Content-Security-Policy header of every file: nothing from elsewhere, nothing inline.
[[nodiscard]] std::string_view web_content_security_policy();

// For Cache-Control.
[[nodiscard]] std::string_view cache_control(const WebAsset& asset);

// Whether an Accept-Encoding header takes gzip ("gzip", "*;q=0.5", but not "gzip;q=0").
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace reckon::server
