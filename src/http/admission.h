#pragma once
// From the head of a request to the decision whether its body is read and a handler asked. Pure: no sockets, no clock.
// The order matters: target, Host, Origin, preflight, key, route, body.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/access.h"
#include "http/limits.h"
#include "http/message_head.h"
#include "http/router.h"

namespace reckon::http {

// What is judged by.
struct Rules {
  const Router& router;
  const Access& access;
  const Limits& limits;
  std::span<const std::string> own_hosts;  // of the listener, see origin.h
  bool is_draining = false;
};

struct Admission {
  Request request;               // without its body, and without an id where the client sent none that is sound
  const Route* route = nullptr;  // also of a request that is refused, where one matched
  std::string allow_origin;      // for Access-Control-Allow-Origin; empty: none
  bool expects_continue = false;
  std::optional<Response> refusal;  // set: the answer, and no handler
};

[[nodiscard]] Admission admit(const MessageHead& head, std::string_view peer, const Rules& rules);

}  // namespace reckon::http
