#pragma once
// POST /v1/embeddings: the final hidden states of a text as one vector of length 1.

#include "server/service.h"

namespace reckon::server {

// On the preparation thread. Fields: input (text, token ids or a list of either), encoding_format (float, base64),
// dimensions (keeps the first so many), pooling (mean, last; ours).
[[nodiscard]] Reply<void> answer_embeddings(Call& call);

}  // namespace reckon::server
