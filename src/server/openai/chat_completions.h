#pragma once
// POST /v1/chat/completions, and what a client may do with an answer that is on its way.

#include "server/service.h"

namespace reckon::server {

// On the preparation thread.
[[nodiscard]] Reply<void> answer_chat(Call& call);

// POST /v1/chat/completions/{id}/answer-now: ends the thought within one token.
// POST /v1/chat/completions/{id}/cancel: ends the answer where it is.
// Both work for the client that asked alone; to others the id does not exist. On the I/O thread.
void answer_now(Service& service, const std::shared_ptr<http::Exchange>& exchange);
void cancel_answer(Service& service, const std::shared_ptr<http::Exchange>& exchange);

}  // namespace reckon::server
