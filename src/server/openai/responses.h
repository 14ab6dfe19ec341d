#pragma once
// POST /v1/responses: OpenAI's newer form of a chat, stateless. An answer is a list of items: a reasoning item, a
// message, calls of functions.

#include "server/service.h"

namespace reckon::server {

// On the preparation thread.
[[nodiscard]] Reply<void> answer_responses(Call& call);

}  // namespace reckon::server
