#pragma once
// The body of POST /v1/responses, read as the chat that it means: instructions and input become messages, the flat form
// of tools becomes the nested one. Stateless: nothing is stored, previous_response_id is refused.

#include "server/openai/chat_request.h"

namespace reckon::server {

[[nodiscard]] Reply<ChatRequest> parse_responses_request(const text::Json& body);

}  // namespace reckon::server
