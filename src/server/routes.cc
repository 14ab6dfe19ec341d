#include "server/routes.h"

#include "server/api_document.h"
#include "server/ollama/embed.h"
#include "server/ollama/generate.h"
#include "server/ollama/models.h"
#include "server/ollama/wire.h"
#include "server/openai/chat_completions.h"
#include "server/openai/completions.h"
#include "server/openai/embeddings.h"
#include "server/openai/models.h"
#include "server/openai/responses.h"
#include "server/page.h"
#include "server/probes.h"
#include "server/tokens.h"

namespace reckon::server {
namespace {

// Answers at once, on the I/O thread.
using Quick = void (*)(Service&, const std::shared_ptr<http::Exchange>&);

struct QuickRoute {
  const char* method;
  const char* path;
  Quick answer;
  bool is_public;
};

constexpr QuickRoute kQuick[] = {
    {"GET", "/health", answer_health, true},
    {"GET", "/ready", answer_ready, true},
    {"GET", "/live", answer_live, true},
    {"GET", "/version", answer_version, true},
    {"GET", "/metrics", answer_metrics, false},
    {"GET", "/openapi.json", answer_api_document, true},
    {"GET", "/v1/models", list_models, false},
    {"GET", "/v1/models/{id...}", show_model, false},
    {"POST", "/v1/chat/completions/{id}/answer-now", answer_now, false},
    {"POST", "/v1/chat/completions/{id}/cancel", cancel_answer, false},
    {"GET", "/api/tags", ollama::list_models, false},
    {"GET", "/api/ps", ollama::list_running, false},
    {"GET", "/api/version", ollama::answer_version, true},
    {"POST", "/api/pull", ollama::refuse_management, false},
    {"POST", "/api/push", ollama::refuse_management, false},
    {"POST", "/api/create", ollama::refuse_management, false},
    {"POST", "/api/copy", ollama::refuse_management, false},
    {"DELETE", "/api/delete", ollama::refuse_management, false},
    {"POST", "/api/blobs/{digest}", ollama::refuse_management, false},
};

struct JsonRoute {
  const char* path;
  Reply<void> (*answer)(Call&);
};

constexpr JsonRoute kJson[] = {
    {"/v1/chat/completions", answer_chat},
    {"/v1/completions", answer_completion},
    {"/v1/embeddings", answer_embeddings},
    {"/v1/responses", answer_responses},
    {"/tokenize", tokenize},
    {"/detokenize", detokenize},
    {"/apply-template", apply_template},
};

constexpr JsonRoute kOllama[] = {
    {"/api/chat", ollama::answer_chat},
    {"/api/generate", ollama::answer_generate},
    {"/api/show", ollama::show_model},
    {"/api/embed", ollama::answer_embed},
    {"/api/embeddings", ollama::answer_embeddings},
};

}  // namespace

void add_routes(http::Router& router, Service& service) {
  add_page_routes(router);
  for (const QuickRoute& route : kQuick) {
    const Quick answer = route.answer;
    router.add(
        {.method = route.method,
         .path = route.path,
         .handler = [&service, answer](const std::shared_ptr<http::Exchange>& exchange) { answer(service, exchange); },
         .is_public = route.is_public});
  }
  for (const JsonRoute& route : kJson) {
    router.add({.method = "POST", .path = route.path, .handler = service.json_handler(route.answer)});
  }
  for (const JsonRoute& route : kOllama) {
    router.add({.method = "POST",
                .path = route.path,
                .handler = service.json_handler(route.answer, ollama::respond_error),
                .takes_untyped_json = true});  // its clients' guides use curl without a type
  }
}

}  // namespace reckon::server
