#pragma once
// GET /v1/models and /v1/models/{id}. On the I/O thread.

#include "server/service.h"

namespace reckon::server {

void list_models(Service& service, const std::shared_ptr<http::Exchange>& exchange);
void show_model(Service& service, const std::shared_ptr<http::Exchange>& exchange);

}  // namespace reckon::server
