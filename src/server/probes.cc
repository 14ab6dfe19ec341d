#include "server/probes.h"

#include <utility>

#include "reckon/version.h"
#include "text/json_writer.h"

namespace reckon::server {
namespace {

void respond_status(http::Exchange& exchange, int status, const text::JsonObject& body) {
  http::Response response;
  response.status = status;
  response.headers.push_back({"Cache-Control", "no-store"});
  response.body = body.str();
  exchange.respond(std::move(response));
}

}  // namespace

void answer_live(Service&, const std::shared_ptr<http::Exchange>& exchange) {
  respond_status(*exchange, 200, text::JsonObject().text("status", "ok"));
}

void answer_ready(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  if (!service.ready()) return exchange->respond(error_response(loading_error()));
  respond_status(*exchange, 200, text::JsonObject().text("status", "ready"));
}

void answer_health(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  if (!service.ready()) return exchange->respond(error_response(loading_error()));
  const EngineStats stats = service.model()->engine->stats();
  text::JsonObject body;
  body.text("status", "ok").text("model", service.model()->id);
  body.integer("running", stats.n_running).integer("queued", stats.n_queued);
  respond_status(*exchange, 200, body);
}

void answer_metrics(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  if (service.telemetry() == nullptr) {
    return exchange->respond(error_response({.status = 404, .message = "this service counts nothing"}));
  }
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = service.telemetry()->prometheus_text(service);
  exchange->respond(std::move(response));
}

void answer_version(Service&, const std::shared_ptr<http::Exchange>& exchange) {
  respond_status(*exchange, 200, text::JsonObject().text("name", "reckon").text("version", kVersion));
}

}  // namespace reckon::server
