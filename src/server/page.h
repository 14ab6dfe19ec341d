#pragma once
// The chat page's files as routes. They are public: the page asks for a key itself where one is needed.

#include "http/router.h"

namespace reckon::server {

void add_page_routes(http::Router& router);

}  // namespace reckon::server
