#pragma once
// What supervisors and scripts ask: alive, ready, healthy, which version. On the I/O thread, without a key.

#include "server/service.h"

namespace reckon::server {

void answer_live(Service& service, const std::shared_ptr<http::Exchange>& exchange);     // the process answers
void answer_ready(Service& service, const std::shared_ptr<http::Exchange>& exchange);    // loaded, warm, not draining
void answer_health(Service& service, const std::shared_ptr<http::Exchange>& exchange);   // the same, for people
void answer_metrics(Service& service, const std::shared_ptr<http::Exchange>& exchange);  // Prometheus
void answer_version(Service& service, const std::shared_ptr<http::Exchange>& exchange);

}  // namespace reckon::server
