#pragma once
// POST /v1/completions: text goes on as it stands, without a chat template and without thoughts.

#include "server/service.h"

namespace reckon::server {

// On the preparation thread.
[[nodiscard]] Reply<void> answer_completion(Call& call);

}  // namespace reckon::server
