#pragma once
// Host and Origin: what keeps web pages of others, and names that were bent to this machine (DNS rebinding), out.

#include <span>
#include <string>
#include <string_view>

#include "http/access.h"

namespace reckon::http {

// "Chat.Example:8080" -> "chat.example"; "[::1]:80" -> "[::1]". Empty where it is no host and port.
[[nodiscard]] std::string host_name(std::string_view authority);

// `own_hosts`: the names and addresses that the listener goes by, as host_name() gives them.
[[nodiscard]] bool is_host_allowed(const Access& access, std::span<const std::string> own_hosts,
                                   std::string_view authority);

struct OriginVerdict {
  bool is_allowed = false;
  std::string allow_origin;  // for Access-Control-Allow-Origin; empty for our own page, which needs none
};
// `authority` is the host that the request names, allowed already: a page that came from it is our own.
[[nodiscard]] OriginVerdict judge_origin(const Access& access, std::string_view origin, std::string_view authority);

}  // namespace reckon::http
