// `reckon serve`: the model as a service with OpenAI's interface.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "cli/build_info.h"
#include "cli/display_text.h"
#include "cli/loaded_engine.h"
#include "cli/service_flags.h"
#include "reckon/version.h"
#include "server/launch.h"
#include "server/routes.h"
#include "server/service.h"
#include "server/telemetry.h"

namespace reckon::cli {
namespace {

// Waits for the first Ctrl-C or SIGTERM; the second ends the program (InterruptWatch).
class StopSignal {
 public:
  explicit StopSignal(InterruptWatch* watch) : watch_(watch) {
    if (watch_ == nullptr) return;
    watch_->set_handler([this](int) {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    });
  }
  ~StopSignal() {
    if (watch_ != nullptr) watch_->set_handler({});
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_; });
  }

 private:
  InterruptWatch* watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

// SIGHUP for as long as it lives: new keys and certificates, without a request lost.
class ReloadSignal {
 public:
  ReloadSignal(const ServiceFlags& flags, http::Server& server, Context& context) : watch_(context.watch) {
    if (watch_ == nullptr) return;
    watch_->set_reload([&flags, &server, &io = context.io] {
      if (auto access = access_of(flags)) {
        server.set_access(*std::move(access));
      } else {
        print_warning(io, access.error().message + "; the old keys stay");
      }
      if (flags.tls_certificate.empty()) return;
      if (const auto loaded = server.reload_tls(); !loaded) {
        print_warning(io, loaded.error().message + "; the old certificate stays");
      }
    });
  }
  ~ReloadSignal() {
    if (watch_ != nullptr) watch_->set_reload({});
  }
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

 private:
  InterruptWatch* watch_;
};

// The name that clients see.
std::string served_id(const ServiceFlags& flags, const std::filesystem::path& path) {
  return flags.aliases.empty() ? server::model_id_of_file(path.filename().string()) : flags.aliases.front();
}

Outcome<std::unique_ptr<server::Telemetry>> make_telemetry(const ServiceFlags& flags, std::string model_id) {
  const auto wanted = [&](const char* name) {
    return std::ranges::find(flags.metric_aliases, name) != flags.metric_aliases.end();
  };
  server::Telemetry::Setup setup;
  setup.labels = {.model = std::move(model_id), .version = kVersion, .isa = isa_name()};
  setup.aliases = {.llama_cpp = wanted("llama.cpp"), .vllm = wanted("vllm")};
  setup.request_log = flags.request_log;
  CLI_TRY(auto telemetry, Stage::kUsage, server::Telemetry::create(std::move(setup)));
  return telemetry;
}

Outcome<std::unique_ptr<server::ServedModel>> load_model(const ServiceFlags& flags, const std::filesystem::path& path,
                                                         Context& context) {
  RECKON_TRY(auto loaded, load_engine(flags.model, flags.template_file, context, engine_options(flags)));
  auto model = std::make_unique<server::ServedModel>();
  model->engine = std::move(loaded.engine);
  model->chat_template = std::move(loaded.chat_template);
  const std::string file_id = server::model_id_of_file(path.filename().string());
  model->id = served_id(flags, path);
  model->names = flags.aliases;
  model->names.push_back(file_id);
  model->names.push_back(path.filename().string());
  model->names.push_back(model->engine->info().name);
  model->created = server::unix_seconds();
  model->n_context = model->engine->stats().n_context;
  model->n_parallel = flags.n_parallel;
  return model;
}

std::string url_of(const std::string& address, bool is_tls) {
  if (address.starts_with("unix:")) return address;
  return fmt::format("{}://{}", is_tls ? "https" : "http", address);
}

// One line that says where, and how to stop.
std::string greeting(const http::Server& server, const server::ServedModel& model, bool is_tls) {
  std::string urls;
  for (const std::string& address : server.addresses()) urls += (urls.empty() ? "" : ", ") + url_of(address, is_tls);
  return fmt::format("{} is served at {} (OpenAI API under /v1; Ctrl-C stops)", one_line(model.id), urls);
}

Outcome<Exit> serve(const ServiceFlags& flags, Context& context) {
  RECKON_TRY(auto options, server_options(flags));
  const bool is_tls = options.tls.has_value();
  RECKON_TRY(const auto path, model_of(flags.model));
  RECKON_TRY(auto telemetry, make_telemetry(flags, served_id(flags, path)));
  server::Service service(service_options(flags), std::move(telemetry));
  http::Router router;
  server::add_routes(router, service);
  // Listens before the model is there: a port that is taken shows at once, and probes get an answer while it loads.
  CLI_TRY(const auto http_server, Stage::kUsage,
          http::Server::start(std::move(options), std::move(router),
                              [&service](const http::ExchangeEnd& end) { service.telemetry()->exchange_ended(end); }));
  RECKON_TRY(auto model, load_model(flags, path, context));
  service.attach(std::move(model));
  if (auto warm = service.warm_up(); !warm) return std::unexpected(in_stage(Stage::kLoad, warm.error()));
  StopSignal stop_signal(context.watch);
  const ReloadSignal reload_signal(flags, *http_server, context);
  context.io.out.line(greeting(*http_server, *service.model(), is_tls));
  stop_signal.wait();
  service.set_draining();
  if (!flags.model.quiet) context.io.err.line("reckon: finishing the answers on their way; Ctrl-C stops at once");
  http_server->drain(std::chrono::seconds(flags.drain_s));
  return Exit::kOk;
}

}  // namespace

Command add_serve(CLI::App& root) {
  const auto flags = std::make_shared<ServiceFlags>();
  CLI::App* app = root.add_subcommand("serve", "Serve the model to any OpenAI client on this machine or network.");
  add_service_flags(*app, *flags);
  app->footer(
      "Examples:\n"
      "  reckon serve -m model.gguf\n"
      "  curl http://127.0.0.1:8080/v1/chat/completions -H 'Content-Type: application/json' \\\n"
      "    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Why is the sky blue?\"}]}'\n"
      "  reckon serve --host 0.0.0.0 --api-key-file keys.txt --tls-cert cert.pem --tls-key key.pem\n"
      "\n"
      "SIGTERM and Ctrl-C let running answers end (--drain); a second one stops at once.\n"
      "SIGHUP reads the key file and the certificate again.\n");
  return {app, [flags](Context& context) { return serve(*flags, context); }};
}

}  // namespace reckon::cli
