#pragma once
// What Ollama's clients ask about models: GET /api/tags, /api/ps, /api/version, POST /api/show; and what they may not
// do with them here.

#include "server/service.h"

namespace reckon::server::ollama {

// On the I/O thread.
void list_models(Service& service, const std::shared_ptr<http::Exchange>& exchange);
void list_running(Service& service, const std::shared_ptr<http::Exchange>& exchange);
void answer_version(Service& service, const std::shared_ptr<http::Exchange>& exchange);
// pull, push, create, copy, delete and blobs: 501.
void refuse_management(Service& service, const std::shared_ptr<http::Exchange>& exchange);

// On the preparation thread.
[[nodiscard]] Reply<void> show_model(Call& call);

}  // namespace reckon::server::ollama
