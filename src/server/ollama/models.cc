#include "server/ollama/models.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "reckon/version.h"
#include "server/field_reader.h"
#include "server/ollama/request.h"
#include "server/ollama/wire.h"

namespace reckon::server::ollama {
namespace {

void respond(http::Exchange& exchange, std::string body) {
  http::Response response;
  response.body = std::move(body);
  exchange.respond(std::move(response));
}

std::string loaded_at(const ServedModel& model) {
  return rfc3339(std::chrono::system_clock::time_point(std::chrono::seconds(model.created)));
}

// "1.5B", "134.5M".
std::string parameter_size(std::uint64_t n) {
  const auto count = static_cast<double>(n);
  return count >= 1e9 ? fmt::format("{:.1f}B", count / 1e9) : fmt::format("{:.2f}M", count / 1e6);
}

// Clients want 64 hexadecimal digits. These tell one served model from another (FNV-1a of what is known of it); they
// are not the hash of the file.
std::string digest(const ServedModel& model) {
  const ModelInfo& info = model.engine->info();
  const std::string known =
      fmt::format("{}|{}|{}|{}|{}", model.id, info.name, info.architecture, info.quantisation, info.weight_bytes);
  std::string digits;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int part = 0; part < 4; ++part) {
    for (const char c : known) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    digits += fmt::format("{:016x}", hash);
  }
  return digits;
}

std::string details_json(const ModelInfo& info) {
  text::JsonObject details;
  details.text("parent_model", "").text("format", "gguf").text("family", info.architecture);
  details.raw("families", text::JsonArray().text(info.architecture).str());
  details.text("parameter_size", parameter_size(info.n_parameters));
  return details.text("quantization_level", info.quantisation).str();
}

text::JsonObject entry_of(const ServedModel& model) {
  const ModelInfo& info = model.engine->info();
  text::JsonObject entry;
  entry.text("name", tagged_name(model)).text("model", tagged_name(model));
  entry.integer("size", info.weight_bytes).text("digest", digest(model)).raw("details", details_json(info));
  return entry;
}

void respond_models(http::Exchange& exchange, const text::JsonObject& entry) {
  respond(exchange, text::JsonObject().raw("models", text::JsonArray().raw(entry.str()).str()).str());
}

// A line each, as a Modelfile has them behind PARAMETER.
std::string parameters_text(const ModelInfo& info, std::string_view prefix) {
  const SampleOptions& sample = info.sample_defaults;
  std::string lines;
  lines += fmt::format("{}temperature {:g}\n", prefix, sample.temperature);
  lines += fmt::format("{}top_k {}\n", prefix, sample.top_k);
  lines += fmt::format("{}top_p {:g}\n", prefix, sample.top_p);
  return lines + fmt::format("{}min_p {:g}\n", prefix, sample.min_p);
}

std::string info_json(const ServedModel& model) {
  const ModelInfo& info = model.engine->info();
  const std::string& family = info.architecture;
  text::JsonObject object;
  object.text("general.architecture", family).text("general.basename", info.name);
  object.integer("general.parameter_count", info.n_parameters);
  object.integer(family + ".context_length", info.n_context_train).integer(family + ".block_count", info.n_layers);
  object.integer(family + ".embedding_length", info.n_embd).integer(family + ".vocab_size", info.n_vocab);
  object.integer("reckon.context_length", model.n_context);  // what the service runs with
  return object.str();
}

std::string capabilities_json(const ServedModel& model) {
  text::JsonArray list;
  list.text("completion").text("tools");
  if (!model.chat_template->thought_marks().open.empty()) list.text("thinking");
  return list.str();
}

}  // namespace

void list_models(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const ServedModel* model = service.model();
  if (model == nullptr) return exchange->respond(respond_error(loading_error()));
  text::JsonObject entry = entry_of(*model);
  respond_models(*exchange, entry.text("modified_at", loaded_at(*model)));
}

void list_running(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const ServedModel* model = service.model();
  if (model == nullptr) return respond(*exchange, R"({"models":[]})");
  text::JsonObject entry = entry_of(*model);
  entry.text("expires_at", "2300-01-01T00:00:00Z");  // it stays; clients want a time
  respond_models(*exchange, entry.integer("size_vram", 0).integer("context_length", model->n_context));
}

void answer_version(Service&, const std::shared_ptr<http::Exchange>& exchange) {
  respond(*exchange, text::JsonObject().text("version", kVersion).str());
}

void refuse_management(Service&, const std::shared_ptr<http::Exchange>& exchange) {
  const ApiError error{.status = 501,
                       .message =
                           "this service has one model and files are managed by hand: put the GGUF file on the "
                           "machine and start it with reckon serve -m FILE",
                       .code = "unsupported"};
  exchange->respond(respond_error(error));
}

Reply<void> show_model(Call& call) {
  const ServedModel& model = call.model;
  std::string name;
  FieldReader in(call.body);
  in.string("model", 4096, name);
  if (name.empty()) in.string("name", 4096, name);  // the older field
  if (in.failed()) return std::unexpected(*in.error());
  RECKON_TRY_VOID(check_name(model, name));
  const ModelInfo& info = model.engine->info();
  text::JsonObject body;
  body.text("modelfile", "FROM " + model.id + "\n" + parameters_text(info, "PARAMETER "));
  body.text("parameters", parameters_text(info, "")).text("template", info.chat_template);
  body.raw("details", details_json(info)).raw("model_info", info_json(model));
  body.raw("capabilities", capabilities_json(model)).text("modified_at", loaded_at(model));
  respond(*call.exchange, body.str());
  return {};
}

}  // namespace reckon::server::ollama
