#pragma once
// Which path is whose: the table of the service's endpoints.

#include "http/router.h"
#include "server/service.h"

namespace reckon::server {

// The service outlives the router.
void add_routes(http::Router& router, Service& service);

}  // namespace reckon::server
