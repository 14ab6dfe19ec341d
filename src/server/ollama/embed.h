#pragma once
// POST /api/embed, and the older /api/embeddings with one prompt. On the preparation thread.

#include "server/service.h"

namespace reckon::server::ollama {

[[nodiscard]] Reply<void> answer_embed(Call& call);
[[nodiscard]] Reply<void> answer_embeddings(Call& call);

}  // namespace reckon::server::ollama
