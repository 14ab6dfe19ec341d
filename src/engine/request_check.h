#pragma once
// Whether a request can be run at all. Pure; called on the thread of the caller, so that the engine thread sees only
// requests that are sound.

#include "base/result.h"
#include "reckon/engine.h"

namespace reckon::engine {

// kInvalidInput, kLimit, kPromptTooLong; the message names the field, what was found and what is allowed.
Result<void> check_request(const Request& request, int n_vocab, int n_context);

}  // namespace reckon::engine
