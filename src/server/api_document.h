#pragma once
// GET /openapi.json: docs/openapi/openapi.json as it was when this was built. On the I/O thread.

#include <string_view>

#include "server/service.h"

namespace reckon::server {

[[nodiscard]] std::string_view api_document();
void answer_api_document(Service& service, const std::shared_ptr<http::Exchange>& exchange);

}  // namespace reckon::server
