#pragma once
// POST /tokenize, /detokenize and /apply-template: what a prompt becomes, without running the model. On the preparation
// thread. The names of fields are those of llama.cpp and of vLLM.

#include "server/service.h"

namespace reckon::server {

// {"content": TEXT} or {"messages": [...]} -> {"tokens": [...], "count": N, "max_model_len": N}. Text of users is
// plain: control tokens are read only with "parse_special": true. "add_special": true puts the BOS in front.
// "with_pieces": true gives {"id", "piece"} instead of ids.
[[nodiscard]] Reply<void> tokenize(Call& call);
// {"tokens": [...]} -> {"content": TEXT}
[[nodiscard]] Reply<void> detokenize(Call& call);
// The fields of a chat -> {"prompt": TEXT}
[[nodiscard]] Reply<void> apply_template(Call& call);

}  // namespace reckon::server
