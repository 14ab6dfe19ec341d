#include "server/openai/models.h"

#include <utility>

#include "server/openai/answer_parts.h"

namespace reckon::server {
namespace {

std::string sampling_json(const ModelInfo& info) {
  const SampleOptions& sample = info.sample_defaults;
  text::JsonObject object;
  object.number("temperature", sample.temperature).number("top_p", sample.top_p).integer("top_k", sample.top_k);
  object.number("min_p", sample.min_p).number("repetition_penalty", sample.repetition_penalty);
  object.text("origin", info.sample_defaults_origin);
  return object.str();
}

std::string model_json(const ServedModel& model) {
  const ModelInfo& info = model.engine->info();
  text::JsonObject meta;
  meta.text("name", info.name).text("architecture", info.architecture).text("quantisation", info.quantisation);
  meta.integer("n_ctx", model.n_context).integer("n_ctx_train", info.n_context_train);
  meta.integer("n_params", info.n_parameters).integer("n_vocab", info.n_vocab).integer("size", info.weight_bytes);
  meta.integer("kv_bytes_per_token", info.kv_bytes_per_token);
  meta.boolean("thinks", !model.chat_template->thought_marks().open.empty());
  text::JsonObject object;
  object.text("id", model.id).text("object", "model").integer("created", model.created);
  object.text("owned_by", "reckon").raw("aliases", string_list(model.names));
  object.integer("max_model_len", model.n_context).integer("context_length", model.n_context);
  object.raw("sampling_defaults", sampling_json(info)).raw("meta", meta.str());
  return object.str();
}

// Null: 503 went out.
ServedModel* loaded(Service& service, http::Exchange& exchange) {
  ServedModel* model = service.model();
  if (model == nullptr) exchange.respond(error_response(loading_error()));
  return model;
}

}  // namespace

void list_models(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const ServedModel* model = loaded(service, *exchange);
  if (model == nullptr) return;
  http::Response response;
  response.body = text::JsonObject().text("object", "list").raw("data", "[" + model_json(*model) + "]").str();
  exchange->respond(std::move(response));
}

void show_model(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const ServedModel* model = loaded(service, *exchange);
  if (model == nullptr) return;
  const auto& parameters = exchange->request().parameters;
  if (const auto known = model->check_name(parameters.empty() ? "" : parameters.front()); !known) {
    return exchange->respond(error_response(known.error()));
  }
  http::Response response;
  response.body = model_json(*model);
  exchange->respond(std::move(response));
}

}  // namespace reckon::server
