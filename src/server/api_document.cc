#include "server/api_document.h"

#include <utility>

#include "openapi_bytes.h"

namespace reckon::server {

std::string_view api_document() { return {reinterpret_cast<const char*>(kOpenApiBytes), sizeof kOpenApiBytes}; }

void answer_api_document(Service&, const std::shared_ptr<http::Exchange>& exchange) {
  http::Response response;
  response.body = api_document();
  exchange->respond(std::move(response));
}

}  // namespace reckon::server
