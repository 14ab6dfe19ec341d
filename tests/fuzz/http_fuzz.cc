// Any bytes are requests or a clean refusal, and the same ones however the network cuts them: parses all requests of a
// connection, judges each and writes the head of its answer. The first byte says how the bytes are cut.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "http/admission.h"
#include "http/field_text.h"
#include "http/message_parser.h"
#include "http/response_writer.h"

namespace {

using namespace reckon;

http::Limits small_limits() {
  http::Limits limits;
  limits.max_line_bytes = 256;
  limits.max_header_bytes = 1024;
  limits.max_headers = 16;
  limits.max_body_bytes = 512;
  return limits;
}

struct Seen {
  std::string text;  // of all requests, for comparison
  int refused = 0;
};

void check_admission(const http::Admission& admission) {
  const http::Request& request = admission.request;
  RECKON_CHECK(request.path.empty() || request.path == "*" || request.path.starts_with('/'));
  RECKON_CHECK(http::is_field_value(request.path) && !("/" + request.path + "/").contains("/../"));
  for (const http::Header& header : request.headers) {
    RECKON_CHECK(http::is_token(header.name) && http::is_field_value(header.value));
  }
  RECKON_CHECK(admission.refusal || admission.route != nullptr);
  if (!admission.refusal) return;
  http::Framing framing;
  framing.content_length = admission.refusal->body.size();
  framing.request_id = request.id;
  framing.allow_origin = admission.allow_origin;
  std::string head;
  http::append_response_head(head, *admission.refusal, framing);
  RECKON_CHECK(head.find("\r\n\r\n") == head.size() - 4);
  // Every line is one of ours.
  for (std::size_t at = head.find('\n'); at != std::string::npos; at = head.find('\n', at + 1)) {
    RECKON_CHECK(head[at - 1] == '\r');
  }
}

Seen parse_all(std::string_view bytes, std::size_t step, const http::Rules& rules) {
  Seen seen;
  std::string inbox;
  std::size_t n_shown = 0;
  for (;;) {
    http::MessageParser parser(rules.limits);
    while (!parser.is_done()) {
      const bool had_head = parser.has_head();
      const auto n_taken = parser.feed(inbox);
      if (!n_taken) {
        RECKON_CHECK(n_taken.error().status >= 400 && !n_taken.error().message.empty());
        seen.refused = n_taken.error().status;
        return seen;
      }
      RECKON_CHECK(*n_taken <= inbox.size());
      inbox.erase(0, *n_taken);
      if (!had_head && parser.has_head()) check_admission(http::admit(parser.head(), "127.0.0.1", rules));
      if (*n_taken > 0) continue;
      if (n_shown == bytes.size()) return seen;
      inbox += bytes.substr(n_shown, step);
      n_shown = std::min(n_shown + step, bytes.size());
    }
    const http::MessageHead& head = parser.head();
    const std::string body = parser.take_body();
    RECKON_CHECK(body.size() <= rules.limits.max_body_bytes || head.content_length == body.size());
    seen.text += head.method + " " + head.target + " " + body + "\n";
    for (const http::Header& header : head.headers) seen.text += header.name + ":" + header.value + "\n";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  static const http::Limits limits = small_limits();
  static const http::Router router = [] {
    http::Router made;
    made.add({"GET", "/a/{b}", [](const std::shared_ptr<http::Exchange>&) {}});
    made.add({"POST", "/a", [](const std::shared_ptr<http::Exchange>&) {}});
    return made;
  }();
  static const http::Access access = [] {
    http::Access made;
    made.origins = {"https://chat.example"};
    return made;
  }();
  const http::Rules rules{router, access, limits, {}, false};
  // The parser keeps a few bytes of a chunked body back until it has seen what follows. Enough follows to fill the
  // largest chunk that it takes, and then some that is not the head of a chunk: both ways of cutting see the end.
  const std::string bytes = std::string(reinterpret_cast<const char*>(data) + 1, size - 1) +
                            std::string(limits.max_body_bytes + limits.max_line_bytes, 'x');
  const Seen whole = parse_all(bytes, bytes.size() + 1, rules);
  const Seen cut = parse_all(bytes, 1 + data[0] % 16, rules);
  RECKON_CHECK(whole.text == cut.text);
  RECKON_CHECK((whole.refused == 0) == (cut.refused == 0));
  return 0;
}
