#pragma once
// POST /api/chat and /api/generate of Ollama's API. On the preparation thread.

#include "server/service.h"

namespace reckon::server::ollama {

[[nodiscard]] Reply<void> answer_chat(Call& call);
[[nodiscard]] Reply<void> answer_generate(Call& call);

}  // namespace reckon::server::ollama
